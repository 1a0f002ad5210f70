import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

// One plain module with no imports: node runs it, and a page does as a script of type module.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url).href),
  build: { ssr: 'main.ts', outDir: '../node_modules/.bench', emptyOutDir: true, target: 'es2023' },
})
