package desktop

import (
	"strings"
	"testing"
)

func TestFileAddress(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ada/.local/share/callboard": "file:///home/ada/.local/share/callboard",
		"/home/ada/100 % of it#1?":         "file:///home/ada/100%20%25%20of%20it%231%3F",
		"C:/Users/Ada/Callboard":           "file:///C:/Users/Ada/Callboard",
	} {
		got := FileAddress(path)
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if back, err := ParseLink(got); err != nil || back.File != path {
			t.Errorf("%s leads to %q, %v; want %s", got, back.File, err, path)
		}
	}
}

func TestParseLink(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Target
		says       string
	}{
		{"a thread", "callboard://t/t1", Target{ThreadID: "t1"}, ""},
		{"a thread with a slash at its end, as some browsers write it", "callboard://t/t1/", Target{ThreadID: "t1"}, ""},
		{"a scheme in capitals", "CALLBOARD://t/t1", Target{ThreadID: "t1"}, ""},
		{"a thread whose id is escaped", "callboard://t/a%2Fb%20c", Target{ThreadID: "a/b c"}, ""},
		{"a moment", "callboard://t/t1/r/r1/e/42", Target{ThreadID: "t1", RunID: "r1", Seq: 42}, ""},
		{"a server", "callboard://attach?url=http%3A%2F%2F127.0.0.1%3A4830", Target{Server: "http://127.0.0.1:4830"}, ""},
		{"a path", "/home/ada/a thread.callboard", Target{File: "/home/ada/a thread.callboard"}, ""},
		{"a file's address", "file:///home/ada/a%20thread.callboard", Target{File: "/home/ada/a thread.callboard"}, ""},
		{"a file's address with a drive", "file:///C:/a.callboard", Target{File: "C:/a.callboard"}, ""},

		{"nothing", "", Target{}, "nothing to open"},
		{"another verb", "callboard://run?input=hi", Target{}, "is none of"},
		{"no verb", "callboard:t/t1", Target{}, "is none of"},
		{"no thread", "callboard://t/", Target{}, "is none of"},
		{"a thread and a question", "callboard://t/t1?approve=all", Target{}, "is none of"},
		{"a thread and a fragment", "callboard://t/t1#x", Target{}, "is none of"},
		{"more than a thread", "callboard://t/t1/approve", Target{}, "is none of"},
		{"a moment without a number", "callboard://t/t1/r/r1/e/last", Target{}, "is none of"},
		{"a moment with a number no page can count to", "callboard://t/t1/r/r1/e/9007199254740992", Target{}, "is none of"},
		{"a broken escape", "callboard://t/%zz", Target{}, "read the link"},
		{"a control character", "callboard://t/a%00b", Target{}, "is none of"},
		{"a line break", "callboard://t/a\nb", Target{}, "control characters"},
		{"a link without end", "callboard://t/" + strings.Repeat("a", maxLength), Target{}, "4,096 bytes"},
		{"no server", "callboard://attach", Target{}, "one url="},
		{"two servers", "callboard://attach?url=http://a&url=http://b", Target{}, "one url="},
		{"a server of another scheme", "callboard://attach?url=file:///etc/passwd", Target{}, "only http and https"},
		{"a server with a password", "callboard://attach?url=http://me:secret@host", Target{}, "name or password"},
		{"another machine's file", "file://server/a.callboard", Target{}, "no file of this machine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseLink(c.text)
			if got != c.want || (err == nil) != (c.says == "") {
				t.Fatalf("got %+v, %v; want %+v", got, err, c.want)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got error %q, want one with %q", err, c.says)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}
