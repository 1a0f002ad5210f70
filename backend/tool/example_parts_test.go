package tool_test

import (
	"encoding/base64"
	"fmt"

	"callboard/backend/tool"
)

// dot is a GIF of one pixel.
var dot, _ = base64.StdEncoding.DecodeString("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=")

// A tool that gives the model text and an image beside each other.
func ExamplePart() {
	chart := tool.Must(tool.Config[struct{}, []tool.Part]{
		Name: "render_chart", Description: "Draws a chart of this week",
		Run: func(tool.Context, struct{}) ([]tool.Part, error) {
			return []tool.Part{tool.TextPart("Rendered the chart."), tool.ImagePart(dot)}, nil
		},
	})
	call, err := chart.Prepare("{}")
	if err != nil {
		fmt.Println(err)
		return
	}
	split := tool.SplitContent(call.Run(tool.Context{}).Content)
	fmt.Println(split.Text)
	fmt.Println(split.Images[0].MediaType, len(split.Images[0].Bytes), "bytes")
	// Output:
	// Rendered the chart.
	// [image 1: image/gif, 1x1]
	// image/gif 35 bytes
}

// A field named image, or imageBase64, is seen as an image; the rest is read.
func ExampleSplitContent() {
	content := fmt.Sprintf(`{"width":1,"height":1,"image":%q}`, base64.StdEncoding.EncodeToString(dot))
	split := tool.SplitContent([]byte(content))
	fmt.Println(split.Text)
	// Output:
	// {"width":1,"height":1,"image":"[image 1: image/gif, 1x1]"}
}
