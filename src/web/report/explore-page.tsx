import type {
  ExploreReport,
  ReportedExploration,
  ReportedFinding,
  ReportedKind,
} from '../../contract/reports.ts'
import { Badge, BodyView, Command } from '../dashboard/ui/badge.tsx'
import { Panel, Table } from '../dashboard/ui/panel.tsx'
import { besideEachOther } from './beside.ts'
import { valueText } from './run-page.tsx'

/** What was disturbed, and what the application did not survive. */
export function ExplorePage({ explorations }: ExploreReport) {
  const count = explorations.reduce((sum, { findings }) => sum + findings.length, 0)
  const verdict = count > 0 ? counted(count, 'finding') : titleOf(explorations)
  return (
    <main class="page">
      <header class="page-header">
        <div>
          <h1>{verdict}</h1>
          <p class="lead">
            {explorations.map(({ name, verdict }) => (
              <span key={name}>
                <Badge tone={TONES[verdict] ?? 'warn'}>{VERDICTS[verdict] ?? verdict}</Badge> {name}
              </span>
            ))}
          </p>
        </div>
      </header>
      {explorations.map((exploration, nth) => (
        <ExplorationPanels key={nth} {...exploration} />
      ))}
    </main>
  )
}

const VERDICTS: Readonly<Record<string, string>> = {
  found: 'Found',
  survived: 'Survived',
  not_all_tried: 'Not all tried',
  plain_run_fails: 'The plain run fails',
}
const TONES = { found: 'bad', survived: 'good', not_all_tried: 'warn', plain_run_fails: 'bad' } as Readonly<
  Record<string, 'good' | 'bad' | 'warn'>
>

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

function titleOf(explorations: readonly ReportedExploration[]): string {
  return explorations.every(({ verdict }) => verdict === 'survived')
    ? 'The application survived everything'
    : 'Nothing was found, but not everything was tried'
}

function ExplorationPanels({
  name,
  file,
  seed,
  plain,
  kinds,
  tries,
  findings,
  timings,
}: ReportedExploration) {
  return (
    <>
      {findings.map((finding, nth) => (
        <FindingPanel key={nth} finding={finding} plain={plain.what_happened} />
      ))}
      <Panel
        title={`${name}: the plain run`}
        aside={
          <>
            <code>{file}</code> seed {seed}
          </>
        }
      >
        <p>
          {counted(plain.calls.length, 'call')} to the gateway, {counted(plain.webhooks.length, 'webhook')},{' '}
          {counted(plain.steps.length, 'step')}, {Math.round(plain.took_ms)} ms.
        </p>
        {plain.differences.length > 0 && (
          <ul class="problems">
            {plain.differences.map(difference => (
              <li key={difference}>The two plain runs differ: {difference}.</li>
            ))}
          </ul>
        )}
        {plain.failure && <BodyView label="Failure" text={plain.failure.join('\n')} />}
        {plain.what_happened.length > 0 && (
          <details>
            <summary>What happened</summary>
            <ol class="stack">
              {plain.what_happened.map((line, nth) => (
                <li key={nth}>{line}</li>
              ))}
            </ol>
          </details>
        )}
      </Panel>
      {tries.length > 0 && (
        <Panel
          flush
          title={`${name}: places to disturb`}
          aside={`${counted(tries.length, 'run')} in ${(timings.took_ms / 1000).toFixed(1)} s`}
        >
          <KindTable kinds={kinds} />
        </Panel>
      )}
    </>
  )
}

const KindTable = ({ kinds }: { kinds: readonly ReportedKind[] }) => (
  <Table
    caption="Kinds of disturbance"
    rows={[...kinds].sort((a, b) => b.failed - a.failed || Number(b.places > 0) - Number(a.places > 0))}
    keyOf={({ kind }) => kind}
    columns={[
      { title: 'Kind', cell: ({ kind }) => <code>{kind}</code> },
      { title: 'Places', align: 'end', cell: kind => (isNowhere(kind) ? 'nowhere' : kind.places) },
      { title: 'Tried', align: 'end', cell: ({ tried }) => tried },
      { title: 'Survived', align: 'end', cell: survivedOf },
      {
        title: 'Found',
        align: 'end',
        cell: ({ failed }) => (failed === 0 ? 0 : <Badge tone="bad">{failed}</Badge>),
      },
      { title: 'Not met or judged', align: 'end', cell: ({ not_met, not_judged }) => not_met + not_judged },
    ]}
  />
)

/** It has no place, or was met at none of them. */
const isNowhere = ({ places, tried, not_met }: ReportedKind) => tried === places && not_met === tried

const survivedOf = ({ tried, failed, not_met, not_judged }: ReportedKind) =>
  tried - failed - not_met - not_judged

function FindingPanel({ finding, plain }: { finding: ReportedFinding; plain: readonly string[] }) {
  const { kinds, places, message, expected, actual, alike, failed, of, flaky } = finding
  return (
    <Panel title={kinds.join(' and ') || 'Undisturbed'} aside={<Badge tone="bad">Found</Badge>}>
      <div class="finding">
        <p class="message">
          <b>{capital(message)}</b>
        </p>
        {expected !== null && (
          <p>
            Expected <code>{valueText(expected)}</code>, got <code>{valueText(actual)}</code>
          </p>
        )}
        {kinds.length > 0 && (
          <p>
            Disturbed: {places.map(({ description }) => description).join('; ')}.
            {alike > 1 && ` ${counted(alike - 1, 'other disturbance')} caused the same failure.`}
            {flaky && ` It failed in ${failed} of ${of} repeated runs, so it depends on timing.`}
          </p>
        )}
        <div class="advice stack">
          {[...new Set(finding.advice)].map(text => (
            <p key={text}>{text}</p>
          ))}
        </div>
        <Beside plain={plain} disturbed={finding.what_happened} />
        {finding.repeat !== null && <Command text={finding.repeat} />}
        {finding.saved_text !== null && (
          <details>
            <summary>The scenario that repeats it</summary>
            <BodyView label="Scenario" text={finding.saved_text} />
          </details>
        )}
        {finding.output.length > 0 && (
          <details>
            <summary>What the application printed</summary>
            <BodyView label="Output" text={finding.output.join('\n')} />
          </details>
        )}
      </div>
    </Panel>
  )
}

/** The plain run and the disturbed one, from top to bottom. */
function Beside({ plain, disturbed }: { plain: readonly string[]; disturbed: readonly string[] }) {
  const rows = besideEachOther(plain, disturbed).map((row, nth) => ({ ...row, nth }))
  return (
    <div class="beside">
      <table>
        <caption class="unseen">What happened in both runs</caption>
        <thead>
          <tr>
            <th scope="col">Plain run</th>
            <th scope="col">With the disturbance</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ nth, one, other }) => (
            <tr key={nth}>
              <td class={classOf(one, other)}>{one ?? '–'}</td>
              <td class={classOf(other, one)}>{other ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const classOf = (own: string | undefined, other: string | undefined) =>
  own === undefined ? 'missing' : other === undefined ? 'only' : undefined

const capital = (text: string) => text.replace(/^./, first => first.toUpperCase())
