package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/tool"
)

func TestViewing(t *testing.T) {
	gif := "GIF89a\x02\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02D\x01\x00;"
	f := newFolder(t, map[string]string{
		"d/shot.gif": gif, "note.txt": "text", "logo.svg": "<svg/>", "empty.png": "", "big.png": "\x89PNG" + strings.Repeat("x", 5<<20),
	})
	for path, want := range map[string]string{
		"note.txt":  "note.txt is no image a model takes: it is text/plain; charset=utf-8; PNG, JPEG, GIF and WebP are",
		"logo.svg":  "logo.svg is no image a model takes",
		"empty.png": "empty.png is no image a model takes",
		"big.png":   "big.png is too large to be shown: 5242884 bytes, the limit is 5242880",
		"d":         "d is a folder",
		"none.png":  "none.png: file does not exist",
		"../x.png":  "outside the workspace folder",
	} {
		fails(t, f.call("view_image", args{"path": path}), want)
	}
	r := f.call("view_image", args{"path": filepath.Join(f.root, "d", "shot.gif")})
	parts := content[[]tool.Part](t, r)
	if len(parts) != 2 || parts[0].Text != "d/shot.gif" || string(parts[1].Data) != gif || parts[1].MediaType != "image/gif" {
		t.Errorf("got %v", parts)
	}
	if got := tool.SplitContent(r.Content).Text; got != "d/shot.gif\n[image 1: image/gif, 2x1]" {
		t.Errorf("the model reads %q", got)
	}
	if p := r.Presentation; p.Label != "View image" || p.Summary != "1 KB" {
		t.Errorf("the call is presented as %+v", p)
	}
	if err := os.RemoveAll(f.root); err != nil {
		t.Fatal(err)
	}
	fails(t, f.call("view_image", args{"path": "d/shot.gif"}), "is not there any more")
}
