package docker

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"
)

// elsewhere is where a folder is whose path no container can have: one with a drive.
const elsewhere = "/workspace"

// bind gives a container a folder of the host, and has it work there as a user who may.
func bind(ctx context.Context, docker *client.Client, options *client.ContainerCreateOptions, folder string) error {
	options.HostConfig.Mounts = []mount.Mount{{Type: mount.TypeBind, Source: folder, Target: inContainer(folder, folder)}}
	if runtime.GOOS != "linux" { // the engine is in a machine of its own, which gives all files to whoever asks
		return nil
	}
	seen, err := docker.Info(ctx, client.InfoOptions{})
	if err != nil {
		return fmt.Errorf("ask the engine who its containers run as: %w", err)
	}
	user, home := owning(os.Getuid(), os.Getgid(), seen.Info.SecurityOptions)
	options.Config.User = user
	if home != "" && !slices.ContainsFunc(options.Config.Env, func(v string) bool { return strings.HasPrefix(v, "HOME=") }) {
		options.Config.Env = append(options.Config.Env, "HOME="+home)
	}
	return nil
}

// owning is who has to run in a container so that the files of its folder are this program's user's, and a home where the image has
// none for them. Root in a container has no power over files of others here: its capabilities are dropped.
func owning(uid, gid int, securityOptions []string) (user, home string) {
	rootless := slices.ContainsFunc(securityOptions, func(option string) bool {
		name, _, _ := strings.Cut(option, ",")
		return name == "name=rootless"
	})
	if rootless { // there root is the user the engine runs as
		uid, gid = 0, 0
	}
	if uid != 0 {
		home = "/tmp"
	}
	return fmt.Sprintf("%d:%d", uid, gid), home
}

// inContainer is where a container has a path of its folder.
func inContainer(folder, p string) string {
	if folder == "" || strings.HasPrefix(folder, "/") {
		return p
	}
	inside, err := filepath.Rel(folder, p)
	if err != nil {
		return p
	}
	return path.Join(elsewhere, filepath.ToSlash(inside))
}
