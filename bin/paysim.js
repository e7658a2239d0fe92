#!/usr/bin/env node
// CommonJS, because a program that loads no ECMAScript module starts in two thirds of the time.
const [, , first] = process.argv
if (first === '--version' || first === '-V') {
  const { version } = require('../package.json')
  process.stdout.write(`${version}\n`)
} else {
  // From Node 22.1 on, the next start finds what this one has compiled.
  module.constructor.enableCompileCache?.()
  require('../dist/cli.cjs')
}
