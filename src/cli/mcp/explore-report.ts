import { isRecord, parseForeign } from '../../contract/validation.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { textOfFile } from '../named-file.ts'
import type { ToolAnswer } from './answer.ts'

/** The findings of the JSON report of an exploration. Any other file is refused, so that this reads no file but a report. */
export async function exploreReport(file: string): Promise<ToolAnswer> {
  const report = parseForeign(await textOfFile(file).catch(() => ''))
  if (!isRecord(report) || !Array.isArray(report.explorations))
    throw new UsageError(
      'this file is not the report of an exploration: make one with `paysim explore FILE --report json=FILE`',
    )
  const explorations = report.explorations.filter(isRecord).map(({ file, name, verdict, findings }) => ({
    file,
    name,
    verdict,
    findings: (Array.isArray(findings) ? findings : []).filter(isRecord).map(essentials),
  }))
  const count = explorations.reduce((sum, { findings }) => sum + findings.length, 0)
  return {
    says: count === 0 ? 'The application survived all that was tried.' : `Findings: ${count}.`,
    data: explorations,
    next: count === 0 ? [] : ['`paysim run` with the saved file repeats a finding'],
  }
}

/** Without the application's output, which may be long. */
const ESSENTIALS = ['kinds', 'message', 'expected', 'actual', 'saved', 'advice', 'guide']

const essentials = (finding: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(ESSENTIALS.map(name => [name, finding[name]]))
