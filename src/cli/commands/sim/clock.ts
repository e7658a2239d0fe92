import type { AdvanceResult, ClockState, TimerRecord } from '../../../client/control-client.ts'
import type { AnswerTo } from '../../../contract/control/call.ts'
import { commandOf, inAccountTime, nounOf, row } from '../../control/row.ts'
import { memberColumn, timeColumn } from '../../output/columns.ts'
import { plain } from '../../output/members.ts'
import { drawRecord } from '../../output/record.ts'
import type { Screen } from '../../output/screen.ts'
import { drawTable } from '../../output/table.ts'
import { showTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { inlineYamlMembers } from './tables.ts'

export const CLOCK_MODES = ['real', 'virtual'] as const

/** The flags that say how time passes in an account, for a call that has them there. */
export const clockWords = <P extends 'body' | 'body.clock'>(place: P) => ({
  '--now <time>': {
    about: 'set the time, such as 2027-01-01T00:00:00Z; it cannot go back',
    to: `${place}.now` as const,
  },
  '--rate <factor>': {
    about: 'run a real clock faster than wall time, such as 60 or 60x',
    to: `${place}.rate` as const,
    value: (rate: string) => (/^\d+(?:\.\d+)?$/.test(rate) ? Number(rate) : rate),
  },
})

const clockView: View<ClockState> = {
  human: (clock, screen) =>
    drawRecord(
      [
        { label: 'clock', value: clock.mode, paint: screen.paint.bold },
        nowField(clock.now, screen),
        { label: 'rate', value: clock.mode === 'real' && clock.rate !== 1 ? `${clock.rate}x` : undefined },
        clock.next_due === null
          ? { label: 'next timer', value: 'none' }
          : { label: 'next timer', ...showTime(clock.next_due, inAccountTime(clock, screen)) },
        { label: 'timers', value: clock.pending_timers === 0 ? undefined : String(clock.pending_timers) },
      ],
      screen,
    ),
}

const advanceView: View<AdvanceResult> = {
  human: ({ now, fired, idle, timed_out = [] }, screen) =>
    drawRecord(
      [
        nowField(now, screen),
        { label: 'fired', value: fired === 1 ? '1 timer' : `${fired} timers` },
        {
          label: 'idle',
          value: idle ? 'yes: there are no timers' : 'no: `paysim sim timers` lists the pending timers',
        },
        {
          label: 'timed out',
          value: timed_out.length === 0 ? undefined : `deliveries ${timed_out.join(', ')}`,
        },
      ],
      screen,
    ),
}

export const clock = nounOf('sim clock', {
  show: row('GET /accounts/:account/clock', {
    summary: 'show the clock and the next timer',
    description: "Show an account's time, and when the next timer is due.",
    examples: ['paysim sim clock', 'paysim sim clock show --account shop.test -o json'],
    show: { view: clockView },
  }),
  advance: row('POST /accounts/:account/clock/advance', {
    summary: 'advance a virtual clock',
    description:
      'Advance a virtual clock. Everything due by then has happened on return, including webhooks and their retries.',
    arguments: {
      '[duration]': { about: 'how far, such as 250ms, 5s, 1h30m or 7d', to: 'body.by' },
    },
    flags: {
      '--to <time>': { about: 'advance to this time, such as 2027-01-01T00:00:00Z', to: 'body.to' },
      '--until-idle': {
        about: 'advance from timer to timer until none is left',
        to: 'body.until',
        value: () => 'idle',
      },
      '--max <duration>': { about: 'with --until-idle: advance no further than this', to: 'body.max' },
    },
    mistake: (_, { duration, to, untilIdle, max }) => {
      if ([duration, to, untilIdle].filter(goal => goal !== undefined).length !== 1)
        return 'no goal: give a duration, --to or --until-idle'
      return max !== undefined && !untilIdle ? '--max works only with --until-idle' : undefined
    },
    examples: [
      'paysim sim clock advance 5s',
      'paysim sim clock advance --to 2027-01-01T00:00:00Z --account shop',
      'paysim sim clock advance --until-idle --max 7d',
    ],
    show: { view: advanceView },
  }),
  set: row('PUT /accounts/:account/clock', {
    summary: 'make the clock real or virtual, faster or later',
    description: 'Make the clock of an account follow wall time, or stand still until it is advanced.',
    arguments: {
      '<mode>': {
        about: 'real follows wall time, virtual stands still',
        to: 'body.mode',
        choices: CLOCK_MODES,
      },
    },
    flags: clockWords('body'),
    examples: [
      'paysim sim clock set virtual',
      'paysim sim clock set virtual --now 2027-01-01T00:00:00Z --account shop',
      'paysim sim clock set real --rate 60x',
    ],
    show: { view: clockView },
  }),
})

export const timers = commandOf('sim timers', 'GET /accounts/:account/timers', {
  description: 'List the pending timers of an account, the next one first.',
  examples: ['paysim sim timers', "paysim sim timers --account shop -o json | jq '.data[0].due_at'"],
  show: { view: () => timersView, inAccountTime: true },
})

/** The account's time, and its distance from wall time. */
const nowField = (now: string, screen: Screen) => {
  const { value, note } = showTime(now, screen)
  return { label: 'now', value, note: distanceFromWallTime(note) }
}

const distanceFromWallTime = (note = 'now') =>
  note === 'now'
    ? undefined
    : note.endsWith(' ago')
      ? note.replace(/ ago$/, ' behind wall time')
      : note.replace(/^in (.*)/, '$1 ahead of wall time')

const timersView: View<AnswerTo<'GET /accounts/:account/timers'>> = {
  human: ({ data }, screen) =>
    drawTable(
      data,
      {
        columns: [
          {
            header: 'in',
            value: (row, at) => showTime((row as TimerRecord).due_at, at).note?.replace(/^in /, '') ?? '',
            align: 'right',
            paint: (shown, _, { paint }) => paint.cyan(shown),
          },
          timeColumn('due', 'due_at'),
          { header: 'what', value: row => commandText(row as TimerRecord), least: 14 },
          memberColumn('timer', 'id', { give: 1, whole: true }),
        ],
        empty: 'No pending timers.',
      },
      screen,
    ),
  rows: ({ data }) => data,
  csv: [
    'id',
    'due_at',
    'command.type',
    'command.payment',
    'command.payout',
    'command.trigger',
    'command.delivery',
  ],
}

function commandText({
  command: { type, payment, payout, delivery, trigger, ...more },
}: TimerRecord): string {
  const subject = plain(payment ?? payout ?? delivery)
  const name = trigger === undefined ? inKebabCase(type) : plain(trigger)
  return `${name} ${subject} ${inlineYamlMembers(more)}`.trim()
}

/** Writes `AttemptDelivery` as `attempt-delivery`, like the triggers. */
const inKebabCase = (type: string) => type.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
