// How a benchmark tells its figures: as Go's do, so that build/bench puts all into one table.

/** Prints one benchmark: how often it was measured and its figures, each [number, unit]; a figure may have a budget. */
export function report(name, times, ...figures) {
  const words = figures.flatMap(([number, unit, budget]) => [
    `${digits(number)} ${unit}`,
    ...(budget ? [`${(number / budget).toFixed(3)} of-budget`] : []),
  ])
  console.log(`BenchmarkPage/${name} ${times} ${words.join(' ')}`)
}

export function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

function digits(number) {
  return String(Number.isInteger(number) ? number : Number(number.toFixed(number < 100 ? 1 : 0)))
}
