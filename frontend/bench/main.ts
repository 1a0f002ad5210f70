import { measure } from './fold'

// Under node it prints; as a script of a page the same lines stand in its body.
const lines = measure().map(
  (m) => `${m.name}: ${m.ms.toFixed(0)} ms (goal ${m.goalMs}, ratio ${(m.ms / m.goalMs).toFixed(2)})`,
)
if (typeof document === 'undefined') console.log(lines.join('\n'))
else document.body.innerText = lines.join('\n')
