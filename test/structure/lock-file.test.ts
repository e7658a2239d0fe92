import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Installed {
  resolved?: string
  optionalDependencies?: Record<string, string>
  hasInstallScript?: boolean
}

const { packages }: { packages: Record<string, Installed> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)

// Where a registry does not have a tool's binary for some platform, `npm install` leaves it out of the lock file without
// a word, and from then on `npm ci` refuses the whole of it, on every platform.
test('the lock file has the binaries of every platform', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      name => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
    ),
  )
  expect(missing).toEqual([])
})

test('the lock file names no registry', () => {
  expect(Object.keys(packages).filter(path => packages[path]?.resolved !== undefined)).toEqual([])
})

test('no package runs a script when it is installed', () => {
  expect(Object.keys(packages).filter(path => packages[path]?.hasInstallScript)).toEqual([])
})
