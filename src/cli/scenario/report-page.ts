import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readPackageFile } from '../../package-files.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { openInBrowser } from '../open-in-browser.ts'

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

interface PageFlags {
  readonly open?: true
  readonly report: readonly { readonly format: string; readonly file: string }[]
}

const pageIn = ({ report }: PageFlags) =>
  report.find(({ format, file }) => format === 'html' && file !== '-')?.file

/** `--open` needs a page. */
export function demandPage(flags: PageFlags): void {
  if (flags.open && pageIn(flags) === undefined)
    throw new UsageError('--open needs the file of a page: add --report html=report.html')
}

export async function openPage(flags: PageFlags): Promise<void> {
  const file = pageIn(flags)
  if (!flags.open || file === undefined) return
  await openInBrowser(pathToFileURL(resolve(file)).href, message => process.stderr.write(`${message}\n`))
}
