import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readPackageFile } from '../../package-files.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { openInBrowser } from '../open-in-browser.ts'
import { writerTo } from '../output/printer.ts'

/**
 * The report as one page that opens from a file, without a network: the scripts and styles of dist/web/report/ and the
 * JSON report are inside. Nothing else may run there, whatever the texts of the report are.
 */
export function reportPage(json: string): string {
  const [page, style, script] = ['index.html', 'style.css', 'main.js'].map(name =>
    readPackageFile(`dist/web/report/${name}`).toString('utf8'),
  ) as [string, string, string]
  const digest = createHash('sha256').update(script).digest('base64')
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digest}'`
  const inside = [
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<style>${style}</style>`,
    `<script id="report" type="application/json">${withoutTags(json)}</script>`,
  ]
  return page
    .replace('</head>', () => `${inside.join('\n')}\n</head>`)
    .replace('</body>', () => `<script type="module">${script}</script>\n</body>`)
}

/** In JSON, `<` stands only in texts, where it may be written so that no tag can begin. */
const withoutTags = (json: string) => json.replaceAll('<', '\\u003c')

interface ReportFlags<Format extends string = string> {
  readonly open?: true
  readonly report: readonly { readonly format: Format; readonly file: string }[]
}

/** Writes each report that is wanted, and opens its page if that is wanted too. */
export async function writeReports<Format extends string>(
  flags: ReportFlags<Format>,
  textIn: (format: Format) => string,
): Promise<void> {
  for (const { format, file } of flags.report) {
    const text = textIn(format)
    if (file === '-') await writerTo(process.stdout)(text)
    else await writeWhole(file, text)
  }
  await openPage(flags)
}

export async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** With a report on stdout, text for people goes to stderr. */
export const textStream = ({ report }: ReportFlags) =>
  report.some(({ file }) => file === '-') ? process.stderr : process.stdout

const pageIn = ({ report }: ReportFlags) =>
  report.find(({ format, file }) => format === 'html' && file !== '-')?.file

/** `--open` needs a page. */
export function demandPage(flags: ReportFlags): void {
  if (flags.open && pageIn(flags) === undefined)
    throw new UsageError('--open needs the file of a page: add --report html=report.html')
}

async function openPage(flags: ReportFlags): Promise<void> {
  const file = pageIn(flags)
  if (!flags.open || file === undefined) return
  await openInBrowser(pathToFileURL(resolve(file)).href, message => process.stderr.write(`${message}\n`))
}
