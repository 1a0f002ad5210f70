//go:build unix

package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// watcher is a process that ends a group when this program is gone, however it ended: it reads a pipe that this program alone can
// write to. A signal at the parent's death would reach the shell alone, and comes already when a thread ends.
type watcher struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
}

// watch reads the number of a group, and then a line once the group may live on. Where the pipe ends before that, the group is asked
// to end, and a second later made to.
const watch = `read -r group && [ "$group" ] || exit 0; read -r over && exit 0; kill -s TERM -- "-$group"; sleep 1; kill -s KILL -- "-$group"`

// gated runs a command in a shell once there is a line to read: not before the watcher knows of it.
const gated = `read -r go <&3 && exec "$1" -c "$2" sh 3<&-`

// start starts a command of shell, and what watches its group.
func (w *watcher) start(ctx context.Context, cmd *exec.Cmd) error {
	w.cmd = exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", watch)
	OwnGroup(w.cmd) // what ends this program's group is not to end it
	w.cmd.Dir, w.cmd.Env = "/", []string{"PATH=" + os.Getenv("PATH")}
	gate, open, err := os.Pipe()
	if err != nil {
		return err
	}
	defer open.Close() //nolint:errcheck // a line is all there is to it
	w.orders, err = w.cmd.StdinPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		gate.Close() //nolint:errcheck // nothing came through it
		return fmt.Errorf("start what ends a command after this program: %w", err)
	}
	cmd.ExtraFiles = []*os.File{gate}
	err = cmd.Start()
	gate.Close() //nolint:errcheck // the child has its own
	if err != nil {
		w.dismiss()
		return err
	}
	fmt.Fprintln(w.orders, cmd.Process.Pid) //nolint:errcheck // it fails only when somebody ended the watcher
	if _, err := fmt.Fprintln(open); err != nil {
		KillGroup(cmd)
		_ = cmd.Wait() // it was killed
		w.dismiss()
		return fmt.Errorf("let the command begin: %w", err)
	}
	return nil
}

// dismiss ends the watcher. A group it watched lives on.
func (w *watcher) dismiss() {
	fmt.Fprintln(w.orders) //nolint:errcheck // it fails only when somebody ended the watcher
	w.orders.Close()       //nolint:errcheck // the same
	w.cmd.Wait()           //nolint:errcheck // how it ended says nothing
}
