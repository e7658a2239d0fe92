import type { Request } from '../../http/request.ts'
import { en, type Words } from './en.ts'
import { th } from './th.ts'

export type { Words }

export const LANGUAGES: readonly Words[] = [en, th]

const spoken = (tag: unknown) => LANGUAGES.find(({ lang }) => lang === tag)

/** The language that the payer chose, otherwise that of the browser. */
export function wordsFor(request: Request): Words {
  return spoken(request.query.lang) ?? spoken(preferred(request.headers['accept-language'] ?? '')) ?? en
}

/** The preferred language among those that the pages have. */
function preferred(header: string): string | undefined {
  const wanted = header.split(',').map(range => {
    const [tag = '', ...parameters] = range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    return { lang: tag.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  return wanted
    .filter(({ lang, weight }) => weight > 0 && spoken(lang))
    .sort((a, b) => b.weight - a.weight)
    .at(0)?.lang
}

/** The same address with a language. The signature does not cover the language, so the link stays valid. */
export function inLanguage(path: string, lang: string): string {
  const [bare = '', query = ''] = path.split('?')
  const parameters = query.split('&').filter(parameter => parameter !== '' && !parameter.startsWith('lang='))
  return `${bare}?${[...parameters, `lang=${lang}`].join('&')}`
}

/** Another address of the pages, in the language that the payer chose, if any. */
export function keepLanguage(path: string, { query }: Request): string {
  const words = spoken(query.lang)
  return words ? inLanguage(path, words.lang) : path
}
