import { useEffect } from 'preact/hooks'
import type { CatalogueState } from '../../../contract/control/catalogue.ts'
import { humanise, moneyText } from '../format.ts'
import { call } from '../state/api.ts'
import { addressOf, place } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Badge } from '../ui/badge.tsx'
import { Switch } from '../ui/field.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Panel, Table } from '../ui/panel.tsx'

type Route = CatalogueState['routes'][number]
type Method = CatalogueState['methods'][number]

/** The methods, providers and routes of the account. */
export function CataloguePage({ account }: { account: string }) {
  const catalogue = useLive(
    'GET /accounts/:account/catalogue',
    { params: { account } },
    { about: ['catalogue'] },
  )
  return (
    <Page
      title="Catalogue"
      lead={
        <span class="muted">An intent keeps the first route that fits it and whose provider is healthy.</span>
      }
    >
      <Ready of={catalogue}>
        {data => (
          <>
            <Providers account={account} data={data} onDone={catalogue.reload} />
            <Routes account={account} data={data} />
            <Methods data={data} />
          </>
        )}
      </Ready>
    </Page>
  )
}

interface ProvidersProps {
  readonly account: string
  readonly data: CatalogueState
  readonly onDone: () => void
}

function Providers({ account, data, onDone }: ProvidersProps) {
  const set = async (provider: string, healthy: boolean) => {
    const input = { params: { account, provider }, body: { healthy } }
    await call('PATCH /accounts/:account/catalogue/providers/:provider', input)
    toast(`${provider} is ${healthy ? 'healthy' : 'down: its routes are skipped'}`)
    onDone()
  }
  return (
    <Panel title="Providers">
      <ul class="providers">
        {data.providers.map(({ id, healthy }) => (
          <li key={id}>
            <span>
              <b>{id}</b>
              <span class="muted">{data.routes.filter(({ provider }) => provider === id).length} routes</span>
            </span>
            <Badge tone={healthy ? 'good' : 'bad'}>{healthy ? 'Healthy' : 'Down'}</Badge>
            <Switch label={`${id} is healthy`} on={healthy} onChange={on => set(id, on)} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Routes({ account, data }: { account: string; data: CatalogueState }) {
  // A record links to the route that it took.
  const wanted = place.value.query.get('route')
  useEffect(() => {
    document.querySelector('tr.is-wanted')?.scrollIntoView({ block: 'center' })
  }, [wanted])
  const healthy = new Set(data.providers.filter(provider => provider.healthy).map(({ id }) => id))
  return (
    <Panel title="Routes, in the order in which they are tried" flush>
      <Table<Route>
        caption="Routes"
        rows={data.routes}
        keyOf={({ id }) => id}
        rowProps={({ id }) => ({ class: id === wanted ? 'is-wanted' : undefined })}
        columns={[
          {
            title: 'Route',
            cell: ({ id, provider }) => (
              <span class="stacked">
                <code>{id}</code>
                {healthy.has(provider) ? (
                  <span class="muted">{provider}</span>
                ) : (
                  <Badge tone="bad">{provider} is down</Badge>
                )}
                <a
                  href={addressOf(account, 'payments', null, { route: id })}
                  aria-label={`Payments by ${id}`}
                >
                  Payments
                </a>
              </span>
            ),
          },
          {
            title: 'Method',
            cell: ({ method, country }) => (
              <span class="stacked">
                <code>{method}</code>
                <span class="muted">{country}</span>
              </span>
            ),
          },
          { title: 'Amounts', cell: amountsOf, align: 'end' },
          { title: 'Modes', cell: ({ checkout_modes }) => checkout_modes.join(', ') },
          { title: 'Action', cell: ({ action }) => humanise(action) },
          { title: 'Receipt', cell: ({ receipt }) => receipt ?? 'none' },
          { title: 'Cancel while pending', cell: ({ cancel_pending }) => (cancel_pending ? 'yes' : 'no') },
        ]}
      />
    </Panel>
  )
}

/** A route may have both limits, one, or none. */
function amountsOf({ min_amount: least, max_amount: most, currency }: Route): string {
  const [from, to] = [least, most].map(amount => amount && moneyText(amount, currency))
  // On one line with its currency.
  if (from && to) return `${from} – ${to}\u00a0${currency}`
  if (from) return `from ${from} ${currency}`
  return to ? `up to ${to} ${currency}` : `any amount of ${currency}`
}

const Methods = ({ data }: { data: CatalogueState }) => (
  <Panel title="Methods" flush>
    <Table<Method>
      caption="Methods"
      rows={data.methods}
      keyOf={({ code }) => code}
      columns={[
        { title: 'Code', cell: ({ code }) => <code>{code}</code> },
        { title: 'Label', cell: ({ label }) => label },
        { title: 'Category', cell: ({ category }) => humanise(category) },
        {
          title: 'Banks',
          cell: ({ banks = [] }) => <span class="muted">{banks.map(({ label }) => label).join(', ')}</span>,
        },
      ]}
    />
  </Panel>
)
