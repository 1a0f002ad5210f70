package main

const note = `# Release 1.4

The server now listens on **port 9090**. See [the guide](https://example.com/guide) and ` + "`config.go`" + `.

| Setting | Before | Now |
|---|---|---|
| port | 8080 | 9090 |
| timeout | 10 s | 30 s |

1. Stop the old server:

   ` + "```sh\n   systemctl stop greeter # waits for open requests\n   ```" + `

2. Change the code:

   ` + "```go\n   srv := &http.Server{Addr: \":9090\"} // was 8080\n   ```" + `

> Clients find the new port by themselves.

- [x] checks pass
- [ ] release
`

const patch = `--- a/internal/server.go
+++ b/internal/server.go
@@ -38,22 +38,23 @@ func New(o Options) *http.Server {
 	mux := http.NewServeMux()
 	mux.HandleFunc("/", greet)
 	mux.HandleFunc("/health", health)
 	mux.HandleFunc("/ready", ready)
-	return &http.Server{Addr: ":8080", Handler: mux, ReadTimeout: 10 * time.Second}
+	return &http.Server{Addr: o.Addr, Handler: mux, ReadTimeout: 30 * time.Second}
 }
 
 // greet says hello.
 func greet(w http.ResponseWriter, r *http.Request) {
 	name := r.URL.Query().Get("name")
 	if name == "" {
 		name = "world"
 	}
 	fmt.Fprintf(w, "Hello, %s!\n", name)
 }
 
 // health says that the server lives.
 func health(w http.ResponseWriter, _ *http.Request) {
 	w.WriteHeader(http.StatusOK)
+	w.Header().Set("Cache-Control", "no-store")
 }
 
 func ready(w http.ResponseWriter, _ *http.Request) {
--- a/internal/config.go
+++ b/internal/config.go
@@ -1,7 +1,7 @@
 package internal
 
-// DefaultPort is the port of a server that is told nothing else.
-const DefaultPort = 8080
+// DefaultPort is the port of a server that is told no other.
+const DefaultPort = 9090
 
-var hosts = []string{"localhost"}
+var hosts = []string{"localhost", "127.0.0.1"}
 
`

const query = `-- Orders of the last week, by city
SELECT city, count(*) AS orders, sum(amount) / 100.0 AS total
FROM orders
WHERE created_at > now() - INTERVAL '7 days' AND status <> 'cancelled'
GROUP BY city
HAVING count(*) > 10
ORDER BY total DESC;
`

const source = `package internal

// Addr is where the server listens.
func (o Options) Addr() string {
	if o.Port == 0 {
		o.Port = DefaultPort // 9090
	}
	return net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
}
`

// odd is JSON that a reader in a hurry changes: digits, keys twice, keys that differ in case, hidden characters.
const odd = `{"id":2512292042121000001,"price":1.0,"large":1e400,"path":"safe.txt","PATH":"/etc/passwd","n":1,"n":2,` +
	`"__proto__":{"admin":true},"command":"ls\u200b\u202e fdp.exe","note":"two\nlines","deep":{"a":{"b":{"c":{"d":[1,2,3]}}}},"empty":{},"none":null}`

// hostile is what must stay text.
const hostile = `{"text":"<img src=x onerror=alert(1)><script>alert(1)</script>",` +
	`"markdown":"<img src=\"https://evil.example/a.png\" onerror=alert(1)> ![x](https://evil.example/b.png) [click](javascript:alert(1)) <iframe src=\"https://evil.example\"></iframe> <style>*{display:none}</style>",` +
	`"image":{"src":"data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSIxMjAiIGhlaWdodD0iMzAiPjxzY3JpcHQ+YWxlcnQoMSk8L3NjcmlwdD48aW1hZ2UgaHJlZj0iaHR0cHM6Ly9ldmlsLmV4YW1wbGUvYy5wbmciLz48cmVjdCB3aWR0aD0iMTIwIiBoZWlnaHQ9IjMwIiBmaWxsPSIjMmY1ZmQwIi8+PC9zdmc+","mediaType":"image/svg+xml","alt":"<script>alert(1)</script>"},` +
	`"table":{"columns":["<b>bold</b>"],"rows":[["<iframe src=x>"],["javascript:alert(1)"]]},"file":{"path":"<img src=x>.txt"},"code":{"text":"</code><script>alert(1)</script>","lang":"html"},` +
	`"<script>":"<img src=x onerror=alert(1)>"}`
