import { type FunctionComponent, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AccountPage } from './pages/account.tsx'
import { CataloguePage } from './pages/catalogue.tsx'
import { ClockPage } from './pages/clock.tsx'
import { DeliveryPage } from './pages/delivery.tsx'
import { FaultsPage } from './pages/faults.tsx'
import { NodesPage } from './pages/nodes.tsx'
import { OverviewPage } from './pages/overview.tsx'
import type { ListPageName, RecordPageName } from './pages/page-names.ts'
import { PaymentPage } from './pages/payment.tsx'
import { PaymentsPage } from './pages/payments.tsx'
import { PayoutPage } from './pages/payout.tsx'
import { PayoutsPage } from './pages/payouts.tsx'
import { RequestPage } from './pages/request.tsx'
import { RequestsPage } from './pages/requests.tsx'
import { RulesPage } from './pages/rules.tsx'
import { WebhooksPage } from './pages/webhooks.tsx'
import { Shell } from './shell/shell.tsx'
import { checkSession, messageOf, session, signIn } from './state/api.ts'
import { addressOf, followLinks, go, place } from './state/router.ts'
import { applyTheme } from './state/theme.ts'
import { dismiss, toasts } from './state/toasts.ts'
import { live, useLive } from './state/use-live.ts'
import { Command } from './ui/badge.tsx'
import { Button } from './ui/button.tsx'
import { Field } from './ui/field.tsx'
import { Boundary, ErrorNote } from './ui/page.tsx'

applyTheme()
followLinks()
const root = document.getElementById('app')
if (root) render(<App />, root)

function App() {
  useEffect(() => {
    checkSession().catch(() => {
      session.value = 'out'
    })
  }, [])
  return (
    <>
      <Boundary>
        {session.value === 'in' ? <SignedIn /> : session.value === 'out' ? <SignIn /> : null}
      </Boundary>
      <Toasts />
    </>
  )
}

function SignedIn() {
  const merchants = useLive('GET /merchants', {}, { about: ['merchants'] })
  const { account, page } = place.value
  const accounts = merchants.data?.data.flatMap(merchant => merchant.accounts) ?? []
  const known = accounts.some(({ id }) => id === account)
  const [first] = accounts

  useEffect(() => {
    live.follow(known ? account : null)
    return () => live.follow(null)
  }, [account, known])
  useEffect(() => {
    if (merchants.data && account === null && first) go(addressOf(first.id, page), { replace: true })
  }, [merchants.data, account])

  if (merchants.error && !merchants.data) return <ErrorNote error={merchants.error} />
  if (!merchants.data || account === null) return null
  return (
    <Shell merchants={merchants.data.data} account={known ? account : null}>
      {known ? <AccountPages account={account} key={account} /> : <UnknownAccount name={account} />}
    </Shell>
  )
}

function UnknownAccount({ name }: { name: string }) {
  return (
    <div class="empty">
      <h1>There is no account {name}</h1>
      <p>It may have been removed, or it belongs to another server. The menu lists all accounts.</p>
    </div>
  )
}

type ListPage = FunctionComponent<{ account: string }>
type RecordPage = FunctionComponent<{ account: string; id: string }>

const LISTS: Readonly<Record<ListPageName, ListPage>> = {
  overview: OverviewPage,
  payments: PaymentsPage,
  payouts: PayoutsPage,
  requests: RequestsPage,
  webhooks: WebhooksPage,
  rules: RulesPage,
  faults: FaultsPage,
  catalogue: CataloguePage,
  clock: ClockPage,
  account: AccountPage,
  nodes: NodesPage,
}

const RECORDS: Readonly<Record<RecordPageName, RecordPage>> = {
  payments: PaymentPage,
  payouts: PayoutPage,
  requests: RequestPage,
  webhooks: DeliveryPage,
}

/** If a page throws, the menu stays usable. */
const AccountPages = ({ account }: { account: string }) => (
  <Boundary>
    <AccountPageAt account={account} />
  </Boundary>
)

function AccountPageAt({ account }: { account: string }) {
  const { page, id } = place.value
  const RecordPage = id ? pageAt(RECORDS, page) : undefined
  // The list of requests stays beside the opened one.
  const key = page === 'requests' ? page : id
  if (id && RecordPage) return <RecordPage account={account} id={id} key={key} />
  const ListPage = id ? undefined : pageAt(LISTS, page)
  if (ListPage) return <ListPage account={account} />
  return (
    <div class="empty">
      <h1>This page does not exist</h1>
      <p>The menu lists all pages.</p>
    </div>
  )
}

const pageAt = <Page,>(pages: Readonly<Record<string, Page>>, name: string): Page | undefined =>
  Object.hasOwn(pages, name) ? pages[name] : undefined

/** The list of messages is in the page from the start, so that screen readers announce new messages. */
function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, undo }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          {undo && (
            <Button
              icon="undo"
              onPress={async () => {
                dismiss(id)
                await undo()
              }}
            >
              Undo
            </Button>
          )}
          <Button tone="ghost" icon="close" label="Dismiss" onPress={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}

/** Two ways to sign in. */
function SignIn() {
  const [token, setToken] = useState('')
  const [error, setError] = useState<string>()
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      await signIn(token.trim())
    } catch (cause) {
      setError(messageOf(cause))
    }
  }
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <img src="/_paysim/dashboard/assets/icon.svg" alt="" width={36} height={36} />
        <h1>Sign in to paysim</h1>
        {place.value.query.get('link') === 'used' && (
          <p class="notice" role="alert">
            This link has been used or has expired. Each link works once.
          </p>
        )}
        <p>The server prints a sign-in link when it starts. For another link, run</p>
        <Command text="paysim sim dashboard" />
        <p>or start the server with</p>
        <Command text="paysim serve --open" />
        <form onSubmit={submit}>
          <Field
            label="Or paste the control token"
            type="password"
            value={token}
            onInput={setToken}
            required
            hint="It is in the terminal next to “control”, and in server.json in the data directory."
            problem={error}
          />
          <Button submit tone="primary">
            Sign in
          </Button>
        </form>
      </div>
    </main>
  )
}
