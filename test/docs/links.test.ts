import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../..', import.meta.url)
const PAGES = [
  'README.md',
  ...readdirSync(new URL('docs', ROOT))
    .filter(isPage)
    .map(name => `docs/${name}`),
]

test.for(PAGES)('%s has no broken links', path => {
  expect(brokenLinksIn(new URL(path, ROOT))).toEqual([])
})

function isPage(name: string): boolean {
  return name.endsWith('.md')
}

/** Links to files of ours, and to headings in them. */
function brokenLinksIn(page: URL): string[] {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter(link => {
    if (/^[a-z]+:/.test(link)) return false
    const target = new URL(link, page)
    if (!existsSync(new URL(target.pathname, page))) return true
    return target.hash !== '' && !headingsOf(target).includes(target.hash.slice(1))
  })
}

/** Without code, where brackets mean other things. */
const textOf = (page: URL) => readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')

/** As GitHub names them. */
function headingsOf({ href }: URL): string[] {
  const text = textOf(new URL(href.replace(/#.*/, '')))
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
