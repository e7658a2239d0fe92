// Prints the last lines of .ci/run: the failed tests, and the totals of the JSON reports of vitest that are given as
// arguments. They are last because some readers see only the end of a run.
import { readFileSync } from 'node:fs'

const total = { passed: 0, failed: 0, skipped: 0 }
for (const path of process.argv.slice(2)) {
  const { success, tests, broken } = reportAt(path)
  const failures = tests.filter(({ status }) => status === 'failed')
  for (const { file, fullName, failureMessages } of failures) say(file, fullName, failureMessages.join('\n'))
  for (const { name, message } of broken) say(name, 'could not be run', message)
  for (const { status } of tests) total[status in total ? status : 'skipped']++
  // A run can fail although no test failed: a file cannot be loaded, or an error is not handled.
  if (!success && failures.length === 0) total.failed++
}
const { passed, failed, skipped } = total
console.log(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)

function reportAt(path) {
  try {
    const { success, testResults } = JSON.parse(readFileSync(path, 'utf8'))
    return {
      success,
      tests: testResults.flatMap(({ name, assertionResults }) =>
        assertionResults.map(result => ({ ...result, file: name })),
      ),
      broken: testResults.filter(
        ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
      ),
    }
  } catch {
    // It ended before it could report.
    return { success: false, tests: [], broken: [] }
  }
}

function say(file, test, message) {
  console.log(`FAIL ${file}: ${test}\n${message.slice(0, 2_000)}\n`)
}
