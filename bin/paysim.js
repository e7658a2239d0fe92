#!/usr/bin/env node
// CommonJS, because a program that loads no ECMAScript module starts in two thirds of the time.
const [, , first] = process.argv

// The reader of a pipe, such as `head -1`, may leave when it has seen enough. A command that only prints is then done, and
// ends with the status that it has come to. One that does more listens for this error itself, and goes on.
// EOF is what Windows calls it.
const READER_GONE = new Set(['EPIPE', 'ECONNRESET', 'EOF'])
process.stdout.on('error', ({ code, message }) => {
  if (process.stdout.listenerCount('error') > 1) return
  if (READER_GONE.has(code)) process.exit()
  process.stderr.write(`paysim: cannot print: ${message}\n`)
  process.exit(1)
})
// What nobody reads of the messages changes nothing of what a command does.
process.stderr.on('error', () => {})

if (first === '--version' || first === '-V') {
  const { version } = require('../package.json')
  // In the one executable file, the Node is a part of it.
  const node = require('node:sea').isSea() ? ` (Node ${process.versions.node})` : ''
  process.stdout.write(`${version}${node}\n`)
} else {
  // From Node 22.1 on, the next start finds what this one has compiled.
  module.constructor.enableCompileCache?.()
  require('../dist/cli.cjs')
}
