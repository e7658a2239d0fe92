// Run with `paysim exec -- go test ./...`, or with `go test ./...` alone, where the
// client starts paysim. `paysim client go --out paysim/paysim.go` makes the client,
// as a package of your module, which is called example.test/shop here.
package shop_test

import (
	"errors"
	"testing"

	"example.test/shop/paysim"
)

func create(account *paysim.Account) string {
	return paysim.Must(account.Merchant.CreatePayment(paysim.CreatePaymentRequest{
		Amount:            "25000",
		Currency:          "THB",
		Country:           "TH",
		CheckoutMode:      "merchant",
		MerchantReference: "order-1",
		PaymentMethod:     "th_promptpay",
	})).ID
}

func TestThePayerPaysAndTheShopGetsAWebhook(t *testing.T) {
	t.Parallel()
	account := paysim.NewAccount(t)
	id := create(account)
	paysim.Must(account.SucceedPayment(id))

	event := paysim.Must(account.Webhooks.Next("payment.succeeded", id))
	if event.Data.Status != "succeeded" {
		t.Errorf("the event says %s", event.Data.Status)
	}
}

func TestNobodyPaysAndThePaymentExpires(t *testing.T) {
	t.Parallel()
	account := paysim.NewAccount(t, paysim.CreateMerchantRequest{Rules: []paysim.ProviderRule{{Expiry: "30m"}}})
	id := create(account)
	paysim.Must(account.AdvanceClock(paysim.AdvanceClockRequest{By: "30m"}))

	if payment := paysim.Must(account.Merchant.GetPayment(id)); payment.Status != "expired" {
		t.Errorf("the payment is %s", payment.Status)
	}
}

func TestAPaymentSucceedsOnce(t *testing.T) {
	t.Parallel()
	account := paysim.NewAccount(t)
	id := create(account)
	paysim.Must(account.SucceedPayment(id))

	var refused *paysim.Error
	if _, err := account.FailPayment(id); !errors.As(err, &refused) || refused.Code != "invalid_state" {
		t.Errorf("it was not refused: %v", err)
	}
}
