// Prints the last lines of .ci/run: the failed tests, the flaky ones, and the totals of the JSON reports of vitest that are
// given as arguments. They are last because some readers see only the end of a run. `REPORT.again` is the second run of
// the files that failed in REPORT. With --failed-files, prints the files that failed in one report.
import { existsSync, readFileSync } from 'node:fs'

const [first, ...others] = process.argv.slice(2)
if (first === '--failed-files') for (const file of failedFiles(others[0])) console.log(file)
else count([first, ...others].filter(path => path !== undefined && !path.endsWith('.again')))

function count(paths) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const path of paths) {
    const { success, tests, broken } = bothRuns(path)
    const failures = tests.filter(({ status }) => status === 'failed')
    for (const { file, fullName, failureMessages } of failures)
      say('FAIL', file, fullName, failureMessages.join('\n'))
    for (const { name, message } of broken) say('FAIL', name, 'could not be run', message)
    for (const { status } of tests) total[status in total ? status : 'skipped']++
    // A run can fail although no test failed: a file cannot be loaded, or an error is not handled.
    if (!success && failures.length === 0) total.failed++
  }
  const { passed, failed, skipped } = total
  console.log(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
}

/** The results of a run, with those of its second run in their place. */
function bothRuns(path) {
  const run = reportAt(path)
  if (!existsSync(`${path}.again`)) return run
  const again = reportAt(`${path}.again`)
  const later = new Map(again.tests.map(test => [keyOf(test), test]))
  for (const { status, file, fullName, failureMessages, ...test } of run.tests)
    if (status === 'failed' && later.get(keyOf({ ...test, file, fullName }))?.status === 'passed')
      say('flaky', file, fullName, failureMessages.join('\n'))
  const keys = new Set(run.tests.map(keyOf))
  return {
    ...again,
    // A file that could not be run at first has its tests only in the second run.
    tests: [
      ...run.tests.map(test => later.get(keyOf(test)) ?? test),
      ...again.tests.filter(test => !keys.has(keyOf(test))),
    ],
  }
}

function keyOf({ file, fullName }) {
  return `${file} ${fullName}`
}

function failedFiles(path) {
  const { tests, broken } = reportAt(path)
  return new Set([
    ...tests.filter(({ status }) => status === 'failed').map(({ file }) => file),
    ...broken.map(({ name }) => name),
  ])
}

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

function say(verdict, file, test, message) {
  console.log(`${verdict} ${file}: ${test}\n${message.slice(0, 2_000)}\n`)
}
