import { execFileSync } from 'node:child_process'

/** Black-box tests use the built binary: build it from the current sources, unless `npm ci` just did. */
export default function buildOnce() {
  execFileSync(process.execPath, ['build.js', '--if-changed'], { stdio: 'inherit' })
  // The tester's own settings of paysim must not affect the tests.
  delete process.env.PAYSIM_DATA
  delete process.env.PAYSIM_CONTROL_TOKEN
  // Node 20 reads them at each start, which takes longer than the rest, and two thousand processes start here.
  delete process.env.NODE_EXTRA_CA_CERTS
}
