import { execFileSync } from 'node:child_process'

/** The black-box tests drive the built binary: build it from the sources under test, once a run. */
export default function buildOnce() {
  execFileSync(process.execPath, ['build.js'], { stdio: 'inherit' })
  // What whoever runs the tests told their own paysim is not for those that the tests start.
  delete process.env.PAYSIM_DATA
  delete process.env.PAYSIM_CONTROL_TOKEN
}
