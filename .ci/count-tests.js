// The closing line of .ci/run: what vitest's JSON reports, given as arguments, add up to.
import { readFileSync } from 'node:fs'

const total = { passed: 0, failed: 0, skipped: 0 }
for (const path of process.argv.slice(2)) {
  const { success, results } = reportAt(path)
  for (const result of results) total[result in total ? result : 'skipped']++
  // A run can fail beside its tests: a file that does not load, an error that nobody awaited.
  if (!success && !results.includes('failed')) total.failed++
}
const { passed, failed, skipped } = total
console.log(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)

function reportAt(path) {
  try {
    const { success, testResults } = JSON.parse(readFileSync(path, 'utf8'))
    return {
      success,
      results: testResults.flatMap(file => file.assertionResults.map(({ status }) => status)),
    }
  } catch {
    // It ended before it could report.
    return { success: false, results: [] }
  }
}
