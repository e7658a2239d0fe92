import type {
  ExploreReport,
  ReportedExploration,
  ReportedFinding,
  ReportedPlace,
} from '../contract/reports.ts'
import { failureLines, type Paint, PLAIN, type ScenarioResult, testSuites } from '../scenario/index.ts'
import { adviceOf } from './advice.ts'
import type { Attempt } from './attempt.ts'
import { type Finding, headlineOf } from './confirm.ts'
import { type Exploration, isNowhere, verdictOf } from './explore.ts'
import { describePlace, KIND_RULES, type PlacedDisturbance } from './kinds.ts'
import { narrativeOf } from './narrative.ts'
import type { SavedFinding } from './save.ts'
import { printedIn } from './suite.ts'

/** An exploration, and the files of its findings. */
export interface Reported {
  readonly exploration: Exploration
  readonly saved: readonly SavedFinding[]
}

const rounded = (ms: number) => Math.round(ms * 10) / 10
/** The paragraph that explains a kind. */
export const guideTo = (kind: string) => `docs/surviving.md#${kind}`

/** The JSON report: all that is known about the explorations. */
export function exploreJson(all: readonly Reported[]): string {
  const report: ExploreReport = {
    ok: all.every(({ exploration }) => verdictOf(exploration) === 'survived'),
    explorations: all.map(explorationView),
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

function explorationView({ exploration, saved }: Reported): ReportedExploration {
  const { scenario, seed, plain, story, differences, places, counts, attempts, findings } = exploration
  return {
    file: scenario.file,
    name: scenario.data.name,
    seed,
    verdict: verdictOf(exploration).replaceAll(' ', '_'),
    plain: {
      ok: plain.ok,
      took_ms: rounded(plain.tookMs),
      steps: plain.steps.map(({ verb, title, tookMs, failure }) => ({
        step: verb,
        title,
        took_ms: rounded(tookMs),
        ok: failure === undefined,
      })),
      calls: (story?.calls ?? []).map(({ operation, step, status }) => ({
        call: operation,
        step: step + 1,
        status,
      })),
      webhooks: (story?.webhooks ?? []).map(({ type, step, status }) => ({
        event: type,
        step: step + 1,
        status,
      })),
      differences,
      failure: plain.ok ? null : problemOf(plain),
      what_happened: narrativeOf({ result: plain, run: exploration.plainRun }),
    },
    kinds: counts.map(({ kind, places, tried, failed, notMet, notJudged }) => ({
      kind,
      places,
      tried,
      failed,
      not_met: notMet,
      not_judged: notJudged,
    })),
    places: places.map(placeView),
    tries: attempts.map(tryView),
    findings: findings.map((finding, at) => findingView(finding, saved[at])),
    timings: {
      took_ms: rounded(exploration.tookMs),
      trying_ms: rounded(exploration.tryingMs),
      tries_per_second:
        exploration.tryingMs > 0 ? rounded((1000 * attempts.length) / exploration.tryingMs) : null,
    },
  }
}

function placeView(place: PlacedDisturbance): ReportedPlace {
  const { kind, before, ...rest } = place
  return { kind, step: before + 1, ...rest, description: describePlace(place) }
}

function tryView({ places, outcome, failure, result }: Attempt) {
  return {
    places: places.map(describePlace),
    outcome: outcome.replaceAll(' ', '_'),
    took_ms: rounded(result.tookMs),
    ...(failure ? { message: failure.message } : {}),
  }
}

function findingView(finding: Finding, saved: SavedFinding | undefined): ReportedFinding {
  const { kinds, places, failure, alike, failed, of, attempt } = finding
  return {
    kinds,
    places: places.map(placeView),
    message: headlineOf(finding),
    expected: failure.expected ?? null,
    actual: failure.actual ?? null,
    alike,
    failed,
    of,
    flaky: failed < of,
    saved: saved?.path ?? null,
    saved_text: saved?.text ?? null,
    repeat: saved?.repeat ?? null,
    advice: adviceOf(finding).map(({ text }) => text),
    guide: kinds.map(guideTo),
    what_happened: narrativeOf(attempt),
    output: attempt.result.application?.output ?? [],
  }
}

/** The JUnit report: a test case for each kind of disturbance, which fails with its findings. */
export function exploreJunit(all: readonly Reported[]): string {
  return testSuites(
    all.flatMap(({ exploration, saved }) => {
      const { scenario, plain, story, counts, findings, attempts } = exploration
      const { file } = scenario
      const plainCase = {
        file,
        name: `${scenario.data.name}: plain run`,
        tookMs: plain.tookMs,
        ...(story ? {} : { failure: { message: 'the plain run failed', lines: problemOf(plain) } }),
      }
      const cases = counts
        .filter(count => count.tried > 0 && !isNowhere(count))
        .map(({ kind }) => {
          const found = findings.filter(({ kinds }) => kinds.includes(kind))
          const tookMs = attempts
            .filter(({ places }) => places[0]?.kind === kind)
            .reduce((sum, { result }) => sum + result.tookMs, 0)
          const lines = found.flatMap(finding => [
            finding.failure.message,
            `saved as ${saved[findings.indexOf(finding)]?.path}`,
          ])
          const [first] = found
          const failure = first ? { failure: { message: first.failure.message, lines } } : {}
          return { file, name: `${scenario.data.name}: ${kind}`, tookMs, ...failure }
        })
      const undisturbed = findings
        .filter(({ kinds }) => kinds.length === 0)
        .map(finding => {
          const message = headlineOf(finding)
          const lines = [message, `saved as ${saved[findings.indexOf(finding)]?.path}`]
          return { file, name: `${scenario.data.name}: undisturbed`, tookMs: 0, failure: { message, lines } }
        })
      return [plainCase, ...undisturbed, ...cases]
    }),
  )
}

function problemOf(plain: ScenarioResult): string[] {
  const failure = plain.steps.find(step => step.failure)?.failure
  return failure ? failureLines(plain.file, failure) : []
}

const ONE_WORKER =
  'Tests of several accounts ran at the same time: run the command with one worker, such as `vitest run --no-file-parallelism` or `pytest -p no:xdist`.'

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

/** The text report. */
export function exploreText({ exploration, saved }: Reported, paint: Paint = PLAIN): string {
  const { scenario, plain, story, differences, places, counts, attempts, findings, command, singlesTried } =
    exploration
  const head = command
    ? paint.bold(scenario.data.name)
    : `${paint.bold(scenario.data.name)}  ${paint.dim(scenario.file)}`
  if (!story && exploration.isInterrupted)
    return [`${paint.bad('✗')} ${head}`, '  It was interrupted before anything was disturbed.', ''].join('\n')
  if (!story && plain.ok)
    return [
      `${paint.bad('✗')} ${head}`,
      '  The two plain runs differ, so nothing was disturbed:',
      ...differences.map(difference => `    ${difference}`),
      '  With --tolerate, paysim explores what is the same.',
      ...(exploration.isInterleaved ? [`  ${ONE_WORKER}`] : []),
      '',
    ].join('\n')
  if (!story) {
    const failure = plain.steps.find(step => step.failure)
    const lines = failure?.failure ? failureLines(plain.file, failure.failure, paint) : []
    return [
      `${paint.bad('✗')} ${head}`,
      `  The plain run failed, so nothing was disturbed:  ${failure?.title ?? ''}`,
      ...lines.map(line => `    ${line}`),
      '',
    ].join('\n')
  }
  const pairs = attempts.filter(attempt => attempt.places.length > 1).length
  const none = counts.filter(isNowhere).map(({ kind }) => kind)
  const met = counts.filter(count => count.tried > 0 && !isNowhere(count))
  const seconds = (exploration.tookMs / 1000).toFixed(1)
  const mark = { found: paint.bad('✗'), survived: paint.good('✓') }
  return [
    `${mark[verdictOf(exploration) as 'found'] ?? paint.dim('–')} ${head}`,
    `  Plain run: ${counted(story.calls.length, 'call')} to the gateway, ${counted(story.webhooks.length, 'webhook')}${command ? '' : `, ${counted(story.steps.length, 'step')}`}.`,
    ...differences.map(difference => `  ${paint.bad('The two plain runs differ:')} ${difference}.`),
    `  ${counted(places.length, 'place')} to disturb; tried ${singlesTried}${command ? timeOfTry(exploration) : ` alone and ${counted(pairs, 'pair')}`}; ${seconds} s, seed ${exploration.seed}.`,
    ...met.map(count => `    ${countLine(count, paint)}`),
    ...(none.length > 0
      ? [
          `  This ${command ? 'command' : 'scenario'} has no place for ${none.join(', ')}.${whyNone(scenario, story.calls.length)}`,
        ]
      : []),
    ...(exploration.gone === undefined
      ? []
      : [
          `  ${paint.bad('It ended early:')} ${exploration.gone}.${scenario.data.app?.restart === undefined ? ' With app.restart, paysim can start it again.' : ''}`,
        ]),
    ...notReached(exploration).map(line => `  ${paint.bad(line)}`),
    ...findings.flatMap((finding, at) => findingLines(finding, saved[at], paint, command !== undefined)),
    ...(findings.length === 0 ? [`  ${endOf(exploration, paint)}`] : []),
    '',
  ].join('\n')
}

/** A try of a test command is a run of all its tests. */
function timeOfTry({ attempts }: Exploration): string {
  const tookMs = attempts.reduce((sum, { result }) => sum + result.tookMs, 0)
  return attempts.length === 0 ? '' : `, ${(tookMs / attempts.length / 1000).toFixed(1)} s each`
}

/** Places that nothing was tried at, since it ended before. */
function notReached({ counts, isInterrupted }: Exploration): string[] {
  const left = counts.filter(({ tried, places }) => tried < places)
  const said = left.map(({ kind, tried, places }) => `${kind} (${places - tried})`).join(', ')
  return [
    ...(isInterrupted ? ['It was interrupted.'] : []),
    ...(left.length > 0 ? [`Not reached: ${said}.`] : []),
  ]
}

/** What to conclude if nothing was found. */
function endOf(exploration: Exploration, paint: Paint): string {
  const { command } = exploration
  const looked = command ? ', as far as its tests look and the gateway sees' : ''
  if (verdictOf(exploration) === 'survived')
    return paint.good(`The application survived all of them${looked}.`)
  return exploration.counts.every(isNowhere) ? 'Nothing was disturbed.' : 'Not every place was tried.'
}

/** An application at a URL must be told what others are given when they are started. */
function whyNone({ data: { app } }: Exploration['scenario'], calls: number): string {
  if (app?.url === undefined) return ''
  return [
    ...(calls > 0 ? [] : [' It made no calls through PAYSIM_BASE_URL, so none could be disturbed.']),
    ...(app.restart === undefined ? [' To restart it, paysim needs a command: app.restart.'] : []),
  ].join('')
}

function countLine(
  { kind, places, tried, failed, notMet, notJudged }: Exploration['counts'][number],
  paint: Paint,
) {
  const notes = [
    failed > 0 ? paint.bad(`${failed} failed`) : '',
    notMet > 0 ? `${notMet} did not happen` : '',
    notJudged > 0 ? `${notJudged} could not be judged` : '',
  ].filter(note => note !== '')
  const of = tried === places ? `${tried}` : `${tried} of ${places}`
  const survived = tried - failed - notMet - notJudged
  const mark = failed > 0 ? paint.bad('✗') : survived > 0 ? paint.good('✓') : paint.dim('–')
  return `${mark} ${kind} ${paint.dim(of)}${notes.length > 0 ? `  ${notes.join(', ')}` : ''}`
}

/** What one more run with the disturbances of a saved finding showed. */
export function repetitionText(attempt: Attempt, paint: Paint = PLAIN): string {
  const { places, outcome, failure, result } = attempt
  const [title = ''] = result.steps.map(step => step.title)
  const said = {
    failed: failure?.message ?? '',
    survived: `${title} passed.`,
    'not met': `${title} passed, but made no such call and got no such webhook, so nothing was disturbed.`,
    'not judged': `${title} failed before anything was disturbed.`,
  }[outcome]
  return [
    `${outcome === 'survived' ? paint.good('✓') : paint.bad('✗')} ${said}`,
    ...places.map(place => `  ${describePlace(place)}: ${KIND_RULES[place.kind].summary}.`),
    ...narrativeOf(attempt).map(line => `    ${paint.dim(line)}`),
    ...(outcome === 'survived' ? [] : ['  The command printed:']),
    ...(outcome === 'survived' ? [] : printedIn(attempt).map(line => `    ${paint.dim(line)}`)),
    '',
  ].join('\n')
}

/** The disturbances that seemed to cause what fails undisturbed too. */
const seemingCauses = ({ instead = [] }: Finding): string[] => {
  const seen = instead.map(({ kinds, failed, of }) => `${kinds.join(' and ')} (${failed} of ${of})`)
  return seen.length === 0 ? [] : [`It also failed with ${seen.join(', ')}, which need not be the cause.`]
}

function findingLines(
  finding: Finding,
  saved: SavedFinding | undefined,
  paint: Paint,
  isSuite: boolean,
): string[] {
  const { kinds, places, alike, failed, of, attempt } = finding
  const printed = printedIn(attempt)
  const rate =
    of === 0
      ? ' It was not repeated.'
      : failed < of && kinds.length > 0
        ? ` It failed in ${failed} of ${of} repeated runs, so it depends on timing.`
        : ''
  return [
    '',
    `  ${paint.bad(paint.bold(kinds.join(' and ') || 'undisturbed'))}: ${headlineOf(finding)}`,
    ...seemingCauses(finding).map(line => `    ${line}`),
    ...places.map(place => `    ${describePlace(place)}: ${KIND_RULES[place.kind].summary}.`),
    ...(alike > 1 && kinds.length > 0
      ? [`    ${counted(alike - 1, 'other disturbance')} caused the same failure.${rate}`]
      : rate === ''
        ? []
        : [`   ${rate}`]),
    ...narrativeOf(attempt).map(line => `      ${paint.dim(line)}`),
    ...(printed.length > 0 ? [`    The ${isSuite ? 'command' : 'application'} printed:`] : []),
    ...printed.map(line => `      ${paint.dim(line)}`),
    ...adviceOf(finding).map(
      ({ text, kind }) => `    What to do: ${text}${kind === undefined ? '' : ` See ${guideTo(kind)}`}`,
    ),
    ...(saved === undefined ? [] : [`    Repeat it: ${saved.repeat}`]),
  ]
}
