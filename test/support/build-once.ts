import { execFileSync } from 'node:child_process'
import { killAllWith } from '../../src/application/process-family.ts'

/** Black-box tests use the built binary: build it from the current sources, unless `npm ci` just did. */
export default function buildOnce() {
  execFileSync(process.execPath, ['build.js', '--if-changed'], { stdio: 'inherit' })
  // The tester's own settings of paysim must not affect the tests.
  delete process.env.PAYSIM_DATA
  delete process.env.PAYSIM_CONTROL_TOKEN
  // Node 20 reads them at each start, which takes longer than the rest of a start. The tests start 2,000 processes.
  delete process.env.NODE_EXTRA_CA_CERTS
  // A worker that ends has half a second to end its servers, which is too little on a busy machine.
  const run = `${process.pid}-${Date.now()}`
  process.env.PAYSIM_TEST_RUN = run
  return () => killAllWith(`PAYSIM_SERVER_OF_TEST_RUN=${run}`)
}
