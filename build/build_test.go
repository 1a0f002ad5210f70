// Package build holds what the program is packaged with.
package build

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"text/template"
)

// project is what wails.json says of the program.
type project struct {
	Name           string
	OutputFilename string
	Info           struct {
		CompanyName, ProductName, ProductVersion, Copyright, Comments string
		FileAssociations                                              []struct{ Ext, Name, Description, IconName, Role string }
		Protocols                                                     []struct{ Scheme, Description, Role string }
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func wails(t *testing.T) project {
	t.Helper()
	var p project
	if err := json.Unmarshal([]byte(read(t, "../wails.json")), &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Info.FileAssociations) != 1 || len(p.Info.Protocols) != 1 {
		t.Fatalf("got %d file associations and %d protocols in wails.json, want one of each", len(p.Info.FileAssociations), len(p.Info.Protocols))
	}
	return p
}

func TestOneVersionEverywhere(t *testing.T) {
	want := wails(t).Info.ProductVersion
	for path, pattern := range map[string]string{
		"../main.go":               `const version = "([^"]+)"`,
		"../frontend/package.json": `"version": "([^"]+)"`,
		// The first release it lists is the newest.
		"linux/callboard.metainfo.xml": `<release version="([^"]+)"`,
	} {
		found := regexp.MustCompile(pattern).FindStringSubmatch(read(t, path))
		if found == nil || found[1] != want {
			t.Errorf("%s: got %q, want version %s of wails.json", path, found, want)
		}
	}
}

func TestOneNameOfTheProgramEverywhere(t *testing.T) {
	const want = "localhost.callboard.callboard"
	for path, pattern := range map[string]string{
		"linux/callboard.metainfo.xml": `<id>([^<]+)</id>`,
		"package.sh":                   `usr/share/metainfo/(.+)\.metainfo\.xml`,
		"darwin/Info.plist":            `<key>CFBundleIdentifier</key>\s*<string>([^<]+)</string>`,
		"darwin/Info.dev.plist":        `<key>CFBundleIdentifier</key>\s*<string>([^<]+)</string>`,
		"windows/wails.exe.manifest":   `<assemblyIdentity type="win32" name="([^"]+)" version="{{`,
	} {
		found := regexp.MustCompile(pattern).FindStringSubmatch(read(t, path))
		if found == nil || found[1] != want {
			t.Errorf("%s: got %q, want the name %s", path, found, want)
		}
	}
}

func TestLinuxOpensTheFilesAndLinksOfWailsJSON(t *testing.T) {
	p := wails(t)
	scheme, ext := p.Info.Protocols[0].Scheme, p.Info.FileAssociations[0].Ext
	var mime struct {
		Types []struct {
			Type string `xml:"type,attr"`
			Glob struct {
				Pattern string `xml:"pattern,attr"`
			} `xml:"glob"`
		} `xml:"mime-type"`
	}
	if err := xml.Unmarshal([]byte(read(t, "linux/callboard.xml")), &mime); err != nil {
		t.Fatal(err)
	}
	if len(mime.Types) != 1 || mime.Types[0].Glob.Pattern != "*."+ext {
		t.Fatalf("got %+v in callboard.xml, want one type of *.%s", mime.Types, ext)
	}
	entry := read(t, "linux/callboard.desktop")
	for _, line := range []string{
		"MimeType=" + mime.Types[0].Type + ";x-scheme-handler/" + scheme + ";", "Exec=" + p.OutputFilename + " %u", "Name=" + p.Info.ProductName, "Comment=" + p.Info.Comments,
	} {
		if !strings.Contains(entry, line+"\n") {
			t.Errorf("callboard.desktop has no line %q", line)
		}
	}
	about := read(t, "linux/callboard.metainfo.xml")
	for _, part := range []string{
		"<mediatype>" + mime.Types[0].Type + "</mediatype>", "<binary>" + p.OutputFilename + "</binary>", "<name>" + p.Info.ProductName + "</name>", "<summary>" + p.Info.Comments + "</summary>",
	} {
		if !strings.Contains(about, part) {
			t.Errorf("callboard.metainfo.xml does not have %s", part)
		}
	}
}

func TestWhatWailsFillsInIsWellFormedAndHasTheFilesAndLinks(t *testing.T) {
	p := wails(t)
	scheme, ext := p.Info.Protocols[0].Scheme, p.Info.FileAssociations[0].Ext
	for path, parts := range map[string][]string{
		"darwin/Info.plist":          {"<string>" + scheme + "</string>", "<string>" + ext + "</string>", "<string>" + p.Info.ProductVersion + "</string>"},
		"darwin/Info.dev.plist":      {"<string>" + scheme + "</string>", "<string>" + ext + "</string>", "NSAllowsLocalNetworking"},
		"windows/wails.exe.manifest": {`version="` + p.Info.ProductVersion + `.0"`},
		"windows/info.json":          {`"` + p.Info.ProductVersion + `"`, p.Info.CompanyName},
	} {
		t.Run(path, func(t *testing.T) {
			filled, err := template.New(path).Parse(read(t, path))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := filled.Execute(&out, p); err != nil {
				t.Fatal(err)
			}
			for _, part := range parts {
				if !strings.Contains(out.String(), part) {
					t.Errorf("%q is not in it", part)
				}
			}
			if strings.HasSuffix(path, ".json") {
				if !json.Valid([]byte(out.String())) {
					t.Error("it is no JSON")
				}
				return
			}
			for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestTheInstallerTakesBackWhatItAssociates(t *testing.T) {
	p := wails(t)
	installer := read(t, "windows/installer/project.nsi")
	for name, want := range map[string]string{
		"FILE_EXT": p.Info.FileAssociations[0].Ext, "FILE_CLASS": p.Info.FileAssociations[0].Name, "FILE_NAME": p.Info.FileAssociations[0].Description,
		"LINK_SCHEME": p.Info.Protocols[0].Scheme, "LINK_NAME": p.Info.Protocols[0].Description, "PRODUCT_EXECUTABLE": p.Name + ".exe",
	} {
		if line := "!define " + name + ` "` + want + "\"\n"; !strings.Contains(installer, line) {
			t.Errorf("project.nsi has no line %q", line)
		}
	}
	install, uninstall, found := strings.Cut(installer, `Section "uninstall"`)
	if !found {
		t.Fatal("project.nsi has no section to uninstall")
	}
	if kind := `"Content Type" "application/vnd.callboard.thread"`; !strings.Contains(install, kind) {
		t.Errorf("project.nsi does not write %s", kind)
	}
	for _, key := range regexp.MustCompile(`WriteRegStr SHELL_CONTEXT ("Software[^"]+")`).FindAllStringSubmatch(install, -1) {
		// What is written under a class goes with the class.
		class := strings.TrimSuffix(regexp.MustCompile(`\\(DefaultIcon|shell).*"$`).ReplaceAllString(key[1], ``), `"`) + `"`
		if class == `"Software\Classes\${CLASS}"` {
			continue // of the macro, which is used for the two classes below
		}
		if !regexp.MustCompile(`DeleteRegKey (/ifempty )?SHELL_CONTEXT ` + regexp.QuoteMeta(class)).MatchString(uninstall) {
			t.Errorf("%s is written and never deleted", class)
		}
	}
	for _, class := range []string{"FILE_CLASS", "LINK_SCHEME"} {
		if !strings.Contains(install, `OPENED_BY_THE_PROGRAM "${`+class+`}"`) {
			t.Errorf("${%s} is opened by nothing", class)
		}
	}
	if !strings.Contains(install, `'"$INSTDIR\${PRODUCT_EXECUTABLE}" "%1"'`) {
		t.Error("the program is not called in quotes")
	}
	if strings.Contains(uninstall, "RMDir /r") {
		t.Error("uninstalling deletes whole folders")
	}
}
