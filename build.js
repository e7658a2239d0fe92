// Bundles the binary and the library. One split bundle, so that a command loads only what it uses.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { parse } from 'yaml'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const draft = `dist.${process.pid}`

/** What runs in a browser, each with its styles, under dist/web/. What a page loads later is a file of its own. */
const WEB = [
  {
    entryPoints: { main: 'src/web/checkout/main.ts', style: 'src/web/checkout/style.css' },
    outdir: `${draft}/web/checkout`,
    static: ['src/web/checkout/icon.svg'],
  },
  {
    entryPoints: { main: 'src/web/dashboard/main.tsx', style: 'src/web/dashboard/style/index.css' },
    outdir: `${draft}/web/dashboard`,
    static: ['src/web/dashboard/index.html', 'src/web/dashboard/icon.svg'],
  },
]

await build({
  entryPoints: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir: draft,
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: { PAYSIM_VERSION: JSON.stringify(version) },
  // CommonJS dependencies inside an ES module bundle still call require for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  logLevel: 'warning',
})

for (const { entryPoints, outdir, static: files = [] } of WEB) {
  await build({
    entryPoints,
    outdir,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
  for (const file of files) copyFileSync(file, join(outdir, basename(file)))
}

// A start should not pay for a YAML parser: the standard rules are read here, once.
const standard = parse(readFileSync('scenarios/default.yaml', 'utf8'))
writeFileSync(`${draft}/standard-rules.json`, JSON.stringify({ rules: standard.provider }))

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const types = ['-p', 'tsconfig.types.json', '--outDir', `${draft}/types`]
execFileSync(process.execPath, [tsc, ...types], { stdio: 'inherit' })

// Whoever runs the binary meanwhile finds the old bundle or the new one, and never half of one.
const old = `${draft}.old`
if (existsSync('dist')) renameSync('dist', old)
renameSync(draft, 'dist')
rmSync(old, { recursive: true, force: true })
