// What the main thread of a page does.

/** A task that takes longer keeps the window from drawing, in ms. */
export const longTaskMs = 50

/** Notes long tasks from now on; the returned function says how many there were and how long, in ms, the longest took. */
export async function longTasks(page) {
  await page.evaluate(() => {
    window.longTasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration)
    }).observe({ type: 'longtask' })
  })
  return async () => {
    const all = await page.evaluate(() => window.longTasks)
    return { count: all.length, longest: Math.max(0, ...all) }
  }
}

/** Returns a function that says how long, in ms, the main thread was at work so far, whatever else the machine does. */
export async function mainThread(page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
  }
}
