import { measure } from './measure'

// Under node it prints; as a script of a page the same lines stand in its body.
const where = typeof document === 'undefined' ? 'node' : 'Chromium'
const lines = measure().map(({ name, value, unit, budget }) => {
  const digits = value.toFixed(value < 10 ? 2 : 0)
  return `BenchmarkFold/${name.replaceAll(' ', '_')}_in_${where} 5 ${digits} ${unit} ${(value / budget).toFixed(3)} of-budget`
})
if (typeof document === 'undefined') console.log(lines.join('\n'))
else document.body.innerText = lines.join('\n')
