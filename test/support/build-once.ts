import { execFileSync } from 'node:child_process'

/** The black-box tests drive the built binary: build it from the sources under test, once a run. */
export default function buildOnce() {
  execFileSync(process.execPath, ['build.js'], { stdio: 'inherit' })
  // What whoever runs the tests told their own paysim is not for those that the tests start.
  delete process.env.PAYSIM_DATA
  delete process.env.PAYSIM_CONTROL_TOKEN
  // Node 20 reads them at each start, which takes longer than the rest of it, and two thousand processes start here.
  delete process.env.NODE_EXTRA_CA_CERTS
}
