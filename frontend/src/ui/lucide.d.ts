/** One icon of Lucide, imported by itself, so that all the others can stay in their lazy chunk. */
declare module 'lucide/dist/esm/icons/*.mjs' {
  const node: import('lucide').IconNode
  export default node
}
