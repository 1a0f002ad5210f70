import { readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const dist = fileURLToPath(new URL('./dist', import.meta.url))

/** Empties dist but for .gitkeep, which keeps the folder in a fresh clone so that the Go embed compiles. */
function cleanDist(): Plugin {
  return {
    name: 'clean-dist',
    apply: 'build',
    buildStart() {
      for (const name of readdirSync(dist)) {
        if (name !== '.gitkeep') rmSync(`${dist}/${name}`, { recursive: true })
      }
    },
  }
}

/** Takes the content security policy out of the page under the dev server, whose hot reload needs inline scripts. */
function devPolicy(): Plugin {
  return {
    name: 'dev-policy',
    apply: 'serve',
    transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
  }
}

export default defineConfig({
  plugins: [react(), tailwindcss(), cleanDist(), devPolicy()],
  build: { assetsInlineLimit: 0, emptyOutDir: false, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1000 },
  server: {
    fs: { allow: ['..'] }, // README.md
    proxy: { '/api': process.env.CALLBOARD_API ?? 'http://127.0.0.1:8080' },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test/setup.ts'],
    restoreMocks: true,
    testTimeout: 20_000, // a busy machine draws slowly
    retry: 1, // and now and then too late
  },
})
