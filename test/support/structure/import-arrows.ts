import { resolve } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'

interface Arrows {
  /** The modules of `src/` that were found. */
  readonly modules: readonly string[]
  /** Each as `rule: from → to`. */
  readonly violations: readonly string[]
}

/** Checks the imports of `src/` in a directory against .dependency-cruiser.cjs. */
export async function readArrows(baseDir: string): Promise<Arrows> {
  const options = await extractOptions(resolve('.dependency-cruiser.cjs'))
  const { output } = await cruise(['src'], { ...options, baseDir }, options.enhancedResolveOptions, {
    tsConfig: extractTsConfig(resolve('tsconfig.json')),
  })
  const { modules, summary } = output as ICruiseResult
  return {
    modules: modules.map(({ source }) => source).filter(source => source.startsWith('src/')),
    violations: summary.violations.map(({ rule, from, to, cycle }) =>
      [`${rule.name}: ${from}`, ...(cycle?.map(({ name }) => name) ?? [to])].join(' → '),
    ),
  }
}
