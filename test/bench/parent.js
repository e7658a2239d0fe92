// Another commit of this repository, built beside this one, to measure both in one run.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

/**
 * What this tree is compared with: its last commit if something is not committed, otherwise that commit's parent.
 * Undefined if this clone does not have it.
 */
export function parentCommit() {
  const name = git('status', '--porcelain', '--untracked-files=no') === '' ? 'HEAD^' : 'HEAD'
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)
  } catch {
    return undefined
  }
}

/** Builds a commit in a folder of its own. Returns its paysim.js. */
export function buildCommit(commit, onEnd) {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-bench-commit-'))
  onEnd(() => {
    rmSync(folder, { recursive: true, force: true })
    git('worktree', 'prune')
  })
  git('worktree', 'add', '--detach', '--force', folder, commit)
  if (hasSamePackages(commit))
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  run(process.execPath, ['build.js'], folder)
  return join(folder, 'bin/paysim.js')
}

function hasSamePackages(commit) {
  try {
    git('diff', '--quiet', commit, '--', 'package-lock.json')
    return true
  } catch {
    return false
  }
}

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
