// Command bench runs the project's benchmarks and prints one table: what was measured, and beside each the part of its budget it
// uses, where it has one. A ratio over 1 is marked, and makes the exit status 1.
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench runs the benchmarks of Go and those of the window, which print their results as Go's do.
func bench(ctx context.Context, out io.Writer) error {
	commands := [][]string{
		{"go", "test", "-run", "^$", "-bench", ".", "-benchtime", "3x", "-timeout", "30m", "-p", "1", "./backend/...", "./storage/..."},
		{"node", "frontend/bench/run.mjs"},
	}
	var all []result
	for _, command := range commands {
		results, err := run(ctx, command)
		if err != nil {
			return err
		}
		all = append(all, results...)
	}
	if len(all) == 0 {
		return fmt.Errorf("no benchmark ran")
	}
	if over := table(out, all); over > 0 {
		return fmt.Errorf("%d over budget", over)
	}
	return nil
}

// result is a line of a benchmark: its name, and its values with their units.
type result struct {
	name     string
	values   []value
	budgeted bool
	ratio    float64 // the largest of its "…of-budget" values
}

type value struct {
	number string
	unit   string
}

func run(ctx context.Context, command []string) ([]result, error) {
	fmt.Fprintln(os.Stderr, "running", strings.Join(command, " "))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w\n%s", command[0], err, output)
	}
	return parse(output), nil
}

// parse reads the lines "Benchmark<name>-<procs> <times> <number> <unit> <number> <unit> …".
func parse(output []byte) []result {
	var results []result
	for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		r := result{name: name(fields[0])}
		for i := 2; i+1 < len(fields); i += 2 {
			number, unit := fields[i], fields[i+1]
			if strings.HasSuffix(unit, "of-budget") {
				if ratio, err := strconv.ParseFloat(number, 64); err == nil {
					r.budgeted, r.ratio = true, max(r.ratio, ratio)
				}
				continue
			}
			r.values = append(r.values, value{number, unit})
		}
		results = append(results, r)
	}
	return results
}

// name is how a benchmark is called in the table: without its prefix, its processors and its underscores.
func name(field string) string {
	field = strings.TrimPrefix(field, "Benchmark")
	if dash := strings.LastIndexByte(field, '-'); dash > 0 {
		if _, err := strconv.Atoi(field[dash+1:]); err == nil {
			field = field[:dash]
		}
	}
	return strings.ReplaceAll(field, "_", " ")
}

// table prints the results, those with a budget first, and returns how many are over theirs.
func table(out io.Writer, all []result) (over int) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "benchmark\tof budget\tmeasured")
	for _, budgeted := range []bool{true, false} {
		for _, r := range all {
			if r.budgeted != budgeted {
				continue
			}
			ratio := "–"
			if budgeted {
				ratio = fmt.Sprintf("%.2f", r.ratio)
			}
			if r.ratio > 1 {
				over++
				ratio += " OVER"
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", r.name, ratio, measured(r.values))
		}
	}
	_ = w.Flush()
	return over
}

func measured(values []value) string {
	var each []string
	for _, v := range values {
		if v.unit == "ns/op" && len(values) > 1 {
			continue // the benchmark's own measure says more
		}
		each = append(each, v.number+" "+v.unit)
	}
	return strings.Join(each, ", ")
}
