package workspace

import (
	"fmt"
	"io"
	"os"

	"callboard/backend/tool"
)

// maxImageBytes is how large an image may be that view_image shows: most providers take no larger one.
const maxImageBytes = 5 << 20

type viewArgs struct {
	Path string `json:"path" jsonschema:"minLength=1" jsonschema_description:"The image file, relative to the workspace folder"`
}

func (w *workspace) viewImage() (*tool.Tool, error) {
	return tool.Define(tool.Config[viewArgs, tool.Output[[]tool.Part]]{
		Name:         "view_image",
		Description:  "Shows you an image of the workspace: a PNG, JPEG, GIF or WebP file of at most 5 MiB.",
		Category:     "file",
		SideEffects:  []tool.SideEffect{tool.Filesystem},
		Presentation: &viewCalls,
		Present:      func(in viewArgs) *tool.Presentation { return about(viewCalls, shown(in.Path), "") },
		Run:          w.view,
	})
}

var viewCalls = tool.Presentation{Label: "View image", Icon: "image"}

func (w *workspace) view(_ tool.Context, in viewArgs) (out tool.Output[[]tool.Part], err error) {
	path, err := w.inside(in.Path)
	if err != nil {
		return out, err
	}
	root, err := w.open()
	if err != nil {
		return out, err
	}
	defer root.Close() //nolint:errcheck // nothing was written through it
	image, err := readImage(root, path)
	if err != nil {
		return out, err
	}
	out.Content = []tool.Part{tool.TextPart(shown(path)), image}
	out.Presentation = about(viewCalls, shown(in.Path), fmt.Sprintf("%d KB", (len(image.Data)+1023)/1024))
	return out, nil
}

func readImage(root *os.Root, path string) (image tool.Part, err error) {
	stat, err := root.Stat(path)
	switch {
	case err != nil:
		return image, explain(shown(path), err)
	case stat.IsDir():
		return image, fmt.Errorf("%s is a folder", shown(path))
	case !stat.Mode().IsRegular(): // opening a pipe would wait for its other end
		return image, fmt.Errorf("%s is not a regular file", shown(path))
	case stat.Size() > maxImageBytes:
		return image, fmt.Errorf("%s is too large to be shown: %d bytes, the limit is %d", shown(path), stat.Size(), maxImageBytes)
	}
	f, err := root.Open(path)
	if err != nil {
		return image, explain(shown(path), err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	raw, err := io.ReadAll(io.LimitReader(f, maxImageBytes))
	if err != nil {
		return image, explain(shown(path), err)
	}
	image = tool.ImagePart(raw)
	if !tool.IsImage(raw) {
		return image, fmt.Errorf("%s is no image a model takes: it is %s; PNG, JPEG, GIF and WebP are", shown(path), image.MediaType)
	}
	return image, nil
}
