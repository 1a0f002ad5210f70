package redact_test

import (
	"strings"
	"testing"

	"callboard/backend/redact"
)

// random is a value as a generator of keys gives it.
const random = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"

func TestSecretsByTheirLooks(t *testing.T) {
	p := &redact.Policy{Patterns: redact.Patterns()}
	for name, tc := range map[string]struct{ text, secret string }{ // the secret, and nothing else, is masked
		"AWS, a variable":              {"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		"AWS, a file":                  {"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI/K7MDENG"},
		"AWS, a key id for a while":    {"ASIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE"},
		"a secret key":                 {"SECRET_KEY=django-insecure-x7", "django-insecure-x7"},
		"a key of a service":           {"OPENAI_KEY=" + random + " make", random},
		"a password with a suffix":     {"DB_PASSWORD_PROD=hunter22", "hunter22"},
		"a password with a number":     {"PASSWORD2=hunter22", "hunter22"},
		"a token with a suffix":        {"export BOT_TOKEN_DEV=hunter22", "hunter22"},
		"a hump":                       {"clientSecret: 'hunter22',", "hunter22"},
		"a header of a key":            {"X-Api-Key: hunter22", "hunter22"},
		"an account's key":             {"AccountName=a;AccountKey=Zm9vYmFy==;EndpointSuffix=b", "Zm9vYmFy=="},
		"Basic":                        {"Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"},
		"Token":                        {"Authorization: Token 9944b09199c62bcf", "9944b09199c62bcf"},
		"no scheme":                    {"Authorization: " + random, random},
		"in a command":                 {"curl -H 'Authorization: Basic dXNlcjpwYXNz' https://x", "dXNlcjpwYXNz"},
		"a cookie":                     {"Cookie: session=abc; theme=dark\r\nHost: x", "session=abc; theme=dark"},
		"a cookie that is set":         {"set-cookie: sid=abc123; HttpOnly", "sid=abc123; HttpOnly"},
		"two words":                    {`password: "two words here" # mine`, "two words here"},
		"the first is a small one":     {"password: 'a b c d'", "a b c d"},
		"a quote in it":                {`"password": "two \"words\" here"`, `two \"words\" here`},
		"a word of Go":                 {`password := "hunter22"`, "hunter22"},
		"a quote that does not end":    {`password="hunter22`, "hunter22"},
		"an @ in a password":           {"postgres://u:p@ss@h/db", "p@ss"},
		"a token alone in an address":  {"https://a1b2c3d4e5f6g7h8i9j0k1@github.com/x", "a1b2c3d4e5f6g7h8i9j0k1"},
		"a token behind its user":      {"https://oauth2:hunter22@gitlab.com/x.git", "hunter22"},
		"Stripe":                       {"sk_live_4eC39HqLyjWDarjtT1zdp7dc", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"},
		"Stripe, of a hook":            {"whsec_4eC39HqLyjWDarjtT1zdp7dc", "whsec_4eC39HqLyjWDarjtT1zdp7dc"},
		"GitLab":                       {"glpat-4eC39HqLyjWDarjtT1zd", "glpat-4eC39HqLyjWDarjtT1zd"},
		"npm":                          {"//registry/:_authToken=npm_" + random + random, "npm_" + random + random},
		"Hugging Face":                 {"hf_" + random, "hf_" + random},
		"Groq":                         {"gsk_" + random, "gsk_" + random},
		"Replicate":                    {"r8_" + random, "r8_" + random},
		"PyPI":                         {"pypi-AgEIcHlwaS5vcmc" + random, "pypi-AgEIcHlwaS5vcmc" + random},
		"xAI":                          {"xai-" + random, "xai-" + random},
		"Perplexity":                   {"pplx-" + random, "pplx-" + random},
		"NVIDIA":                       {"nvapi-" + random, "nvapi-" + random},
		"Google, of a client":          {"GOCSPX-" + random, "GOCSPX-" + random},
		"Slack, of an app":             {"xapp-1-" + random, "xapp-1-" + random},
		"Shopify":                      {"shpat_0123456789abcdef0123456789abcdef", "shpat_0123456789abcdef0123456789abcdef"},
		"DigitalOcean":                 {"dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef", "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef"},
		"a name behind a name":         {"password: password: hunter22", "hunter22"},
		"a dollar before it":           {`password: "$ecretive"`, "$ecretive"},
		"a brace before it":            {"password={unbalanced", "{unbalanced"},
		"a word":                       {"password: correcthorse", "correcthorse"},
		"words with dots":              {"PASSWORD=correct.horse.battery", "correct.horse.battery"},
		"a weak one":                   {"POSTGRES_PASSWORD=mysecretpassword", "mysecretpassword"},
		"a call as a password":         {`password = "call(me)"`, "call(me)"},
		"what only begins like a call": {"PASSWORD=Abc(def", "Abc(def"},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.Replace(tc.text, tc.secret, redact.Mask, 1)
			if got := p.Text(tc.text); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if hits := p.Find(tc.text); len(hits) == 0 || hits[0].Secret != tc.secret {
				t.Errorf("got %+v, want it found", hits)
			}
		})
	}
}

func TestWhatOnlyLooksLikeASecretStays(t *testing.T) {
	p := &redact.Policy{Patterns: redact.Patterns()}
	for _, text := range []string{
		"max_tokens: 4096, total_tokens=15000, tokenizer=cl100k_base, token_count: 12345, token_type = access",
		"the secretary: Jane Doe; passwords: disabled; keyboard=qwerty; monkey: banana",
		"primary_key=users_id, sort_key: created_at, foreign_key=user_id, key=12345678, KEY_LENGTH=4096",
		"PRIMARY_KEY=users_id_1234567, CACHE_KEY=user-profile-v123456, ENTER_KEY=Enter",
		"type Login struct { Password string }", "interface Login { password: string; token?: string | null }", "def f(password: str, secret: Optional[str], token: Token, key: str) -> str:", "def g(secret: str):",
		`password = os.Getenv("DB_PASSWORD")`, `token = os.environ["TOKEN"]`, "const token = await getToken()", "password: req.body.password,", "secret = process.env.SECRET",
		"password?: string | undefined;", "secret := config.secret.value", "password=$PASSWORD make", "apiKey: process.env.API_KEY", "token = strings.Trim(text)",
		"(token: string) => void", "api_key = None", "token: <yours>",
		"token = parser.next()", "connect(password=password, api_key=api_key)", "let token = accessToken;", "this.token = token;",
		"TOKEN=$TOKEN", "$token = $authToken;", "token: {{ vault_token }}", "PASSWORD=%DB_PASSWORD%", "password=%(db_password)s", "password=${DB_PASSWORD}", "token: ${{ secrets.GITHUB_TOKEN }}", `f"token={token}"`, "API_KEY=<your-api-key>", "password: ********", "password=[redacted]",
		`fmt.Print("Password: "); s := "abcdef"`, `say("Enter your password: " + name + "!")`, `if token == "EOF" {`, "password: required", "token: expired.",
		"the bearer authentication of HTTP, Bearer certificates", "Authorization: required", "cookie: a small file that a site keeps", "authorization: see below",
		"sk-folding-cube-grid, pk-chasing-dots-item", "npm_config_registry=https://packages.example.com/", "hf_hub_download_the_model_file", "gsk_model_name", "r8_unorm_texture_of_the_device",
		"commit 9fceb02d0ae598e95dc970b74764f19372d61af8, sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
		"id 550e8400-e29b-41d4-a716-446655440000, thr_06h2q51kemv5kaa2s8s5htet, $1,299.99, 4111 items, +49 30 123456, 2026-11-30T15:26:22Z",
		"https://example.com:8080/path, ssh://git@github.com/x, https://ada@example.com, ada@example.com, 127.0.0.1:5331@demo", "ASIAN, ASIA-PACIFIC, xapp-1",
	} {
		if got := p.Text(text); got != text {
			t.Errorf("got  %s\nwant %s", got, text)
		}
	}
}

func TestTheNameOfAMemberTellsASecret(t *testing.T) {
	p := &redact.Policy{Patterns: redact.Patterns()}
	for text, want := range map[string]string{
		`{"env":{"AWS_SECRET_ACCESS_KEY":"abc"}}`:                            `{"env":{"AWS_SECRET_ACCESS_KEY":"[redacted]"}}`,
		`{"secretKey":"abc","accessToken":"abc","dbPassword":"abc"}`:         `{"secretKey":"[redacted]","accessToken":"[redacted]","dbPassword":"[redacted]"}`,
		`{"DB_PASSWORD_PROD":"abc","OPENAI_KEY":"` + random + `"}`:           `{"DB_PASSWORD_PROD":"[redacted]","OPENAI_KEY":"[redacted]"}`,
		`{"headers":{"Cookie":"a=b","X-Auth-Token":"abc"}}`:                  `{"headers":{"Cookie":"[redacted]","X-Auth-Token":"[redacted]"}}`,
		`{"env":{"TOKEN":"${TOKEN}"}}`:                                       `{"env":{"TOKEN":"${TOKEN}"}}`,
		`{"password":"two words here"}`:                                      `{"password":"[redacted]"}`,
		`{"maxTokens":4096,"tokens":["a"],"ENTER_KEY":"Enter","key":"name"}`: `{"maxTokens":4096,"tokens":["a"],"ENTER_KEY":"Enter","key":"name"}`,
		`{"OPENAI_KEY":["` + random + `"],"PRIMARY_KEY":"` + random + `"}`:   `{"OPENAI_KEY":["` + random + `"],"PRIMARY_KEY":"` + random + `"}`,
	} {
		if got := string(p.JSON([]byte(text))); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if got := p.Text(text); strings.Contains(text, "two words") && got != want {
			t.Errorf("as a text, got  %s\nwant %s", got, want)
		}
	}
}
