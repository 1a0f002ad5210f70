package studio

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"callboard/backend/mcp"
	"callboard/backend/toolset/workspace"
)

// ServeTools serves the workspace tools over a folder to one MCP client, until it leaves or ctx is done. A call that needs approval
// is put to the person at the client. It needs no data folder, and returns ErrConfig where the folder is not there.
func ServeTools(ctx context.Context, folder, version string, in io.ReadCloser, out io.WriteCloser, log *slog.Logger) error {
	if !isFolder(folder) {
		return fmt.Errorf("%w: there is no folder %s", ErrConfig, folder)
	}
	tools, err := workspace.Tools(workspace.Options{Root: folder})
	if err != nil {
		return fmt.Errorf("make the tools over %s: %w", folder, err)
	}
	server := &mcp.Server{Version: version, Tools: tools, Approval: mcp.AskClient, Logger: log}
	return server.Serve(ctx, in, out)
}
