// Bundles the binary and the library. One split bundle, so that a command loads only what it uses.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { build } from 'esbuild'
import { parse } from 'yaml'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const draft = `dist.${process.pid}`

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
