#!/usr/bin/env node
// CommonJS, because a program that loads no ECMAScript module starts in two thirds of the time.
const { join } = require('node:path')

const [, , first = ''] = process.argv
if (first === '--version' || first === '-V') {
  const { version } = require('../package.json')
  process.stdout.write(`${version}\n`)
} else loadCommandLine()

function loadCommandLine() {
  // Help is printed in less time than it takes to check what was compiled.
  if (/^\w/.test(first)) {
    const { compiledScript, loaderFor, read } = require('./compiled.js')
    const dist = join(__dirname, '../dist')
    const compiled = read(dist, first === 'serve' ? 'serve' : 'call')
    if (compiled !== undefined)
      return loaderFor(dist, (...file) => compiledScript(compiled, ...file))('cli.cjs')
  }
  // From Node 22.1 on, the next start finds what this one has compiled.
  module.constructor.enableCompileCache?.()
  return require('../dist/cli.cjs')
}
