// What the client in Go can do, with go test.
package shop_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.test/shop/paysim"
)

const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="

func order(change func(*paysim.CreatePaymentRequest)) paysim.CreatePaymentRequest {
	request := paysim.CreatePaymentRequest{
		Amount:            "25000",
		Currency:          "THB",
		Country:           "TH",
		CheckoutMode:      "merchant",
		MerchantReference: "order-1",
		PaymentMethod:     "th_promptpay",
	}
	change(&request)
	return request
}

func pay(account *paysim.Account, change func(*paysim.CreatePaymentRequest)) string {
	return paysim.Must(account.Merchant.CreatePayment(order(change))).ID
}

func asItIs(*paysim.CreatePaymentRequest) {}

func refusal(t *testing.T, err error) *paysim.Error {
	t.Helper()
	var refused *paysim.Error
	if !errors.As(err, &refused) {
		t.Fatalf("it was not refused: %v", err)
	}
	return refused
}

func same[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCallsOfTheMerchantAPI(t *testing.T) {
	t.Parallel()
	account := paysim.NewAccount(t)
	merchant := account.Merchant
	query := paysim.ListPaymentMethodsRequest{Amount: "25000", Country: "TH", Currency: "THB"}
	if options := paysim.Must(merchant.ListPaymentMethods(query)); len(options.Methods) < 3 {
		t.Errorf("there are few methods: %v", options)
	}

	withKey := func(request *paysim.CreatePaymentRequest) { request.IdempotencyKey = "key-1" }
	id := pay(account, withKey)
	same(t, pay(account, withKey), id)
	paysim.Must(merchant.CancelPayment(id))
	paysim.Must(account.ConfirmCancelPayment(id))
	if status := paysim.Must(merchant.GetPayment(id)).Status; status != "failed" && status != "expired" {
		t.Errorf("it is %s", status)
	}

	for _, reference := range []string{"a", "b & c"} {
		paysim.Must(account.CreatePayout(paysim.CreatePayoutRequest{
			Amount:            "100",
			Currency:          "THB",
			Country:           "TH",
			MerchantReference: reference,
			Recipient:         paysim.CreatePayoutRecipient{BankCode: "bbl", HolderName: "A", AccountNumber: "1234"},
		}))
	}
	filter := paysim.ListPayoutsRequest{Limit: 1, Status: []string{"requires_approval", "failed"}}
	page := paysim.Must(merchant.ListPayouts(filter))
	same(t, page.HasMore, true)
	same(t, page.Data[0].MerchantReference, "b & c")
	paysim.Must(merchant.CancelPayout(page.Data[0].ID, paysim.CancelPayoutRequest{Reason: "typing error"}))
	found := paysim.Must(merchant.ListPayouts(paysim.ListPayoutsRequest{MerchantReference: "b & c"}))
	same(t, found.Data[0].Status, "cancelled")
}

func TestReceiptsOfTheMerchantAndOfThePayer(t *testing.T) {
	t.Parallel()
	account := paysim.NewAccount(t, paysim.CreateMerchantRequest{
		Rules: []paysim.ProviderRule{{Receipt: []map[string]string{{"verdict": "reject"}, {"verdict": "accept"}}}},
	})
	png := paysim.Must(base64.StdEncoding.DecodeString(image))
	id := pay(account, func(request *paysim.CreatePaymentRequest) {
		request.PaymentMethod = "th_bank_transfer"
		request.PaymentMethodOptions = &paysim.CreatePaymentPaymentMethodOptions{Bank: "bbl"}
		request.Customer.Name = "A"
	})
	sent := paysim.Must(account.Merchant.SubmitReceipt(id, paysim.SubmitReceiptRequest{File: png}))
	same(t, sent.Receipt.Status, "processing")
	paysim.Must(account.AdvanceClock(paysim.AdvanceClockRequest{Until: "idle", Max: "1m"}))
	same(t, paysim.Must(account.Merchant.GetPayment(id)).Receipt.Status, "rejected")
	asset := paysim.Must(account.UploadAsset(paysim.UploadAssetRequest{File: png, Kind: "payment_receipt"}))
	if !bytes.Equal(paysim.Must(account.ReadImage(asset.Digest)), png) {
		t.Error("the image is another one")
	}
	paysim.Must(account.Merchant.SubmitReceipt(id, paysim.SubmitReceiptRequest{AssetID: asset.ID}))

	hosted := pay(account, func(request *paysim.CreatePaymentRequest) {
		request.CheckoutMode, request.PaymentMethod = "hosted", ""
	})
	choice := paysim.ChooseMethodRequest{Method: "th_bank_transfer", Bank: "bbl", CustomerName: "A"}
	paysim.Must(account.ChooseMethod(hosted, choice))
	paysim.Must(account.SendReceipt(hosted, paysim.SendReceiptRequest{File: png}))
	_, err := account.ReturnToShop(hosted)
	same(t, refusal(t, err).Code, "invalid_state")
}

func TestFaultsAndRefusals(t *testing.T) {
	t.Parallel()
	account := paysim.NewAccount(t)
	on := "GET /payment_intents/:id"
	paysim.Must(account.ReplaceFaults(paysim.ReplaceFaultsRequest{Faults: []paysim.FaultRule{
		{On: on, Times: 1, Type: "status", Status: 503},
		{On: on, Times: 1, Type: "garbage"},
		{On: on, Times: 1, Type: "empty"},
	}}))
	id := pay(account, asItIs)
	_, err := account.Merchant.GetPayment(id)
	same(t, refusal(t, err).Status, 503)
	for range []int{1, 2} {
		if _, err := account.Merchant.GetPayment(id); err == nil {
			t.Error("an answer that is no JSON is taken")
		}
	}
	paysim.Must(account.ClearFaults())

	_, err = account.Merchant.CreatePayment(order(func(request *paysim.CreatePaymentRequest) { request.Amount = "-1" }))
	same(t, refusal(t, err).Details[0].Field, "amount")
	for _, strange := range []string{"..", ".", "a/b", "ä ?#%"} {
		_, err := account.Merchant.GetPayment(strange)
		same(t, refusal(t, err).Code, "not_found")
	}
}

func TestWebhooksAreRepeatedUntilTheyAreTaken(t *testing.T) {
	t.Parallel()
	account := paysim.NewAccount(t)
	account.Webhooks.Respond(500)
	id := pay(account, asItIs)
	paysim.Must(account.FailPayment(id, paysim.FailPaymentRequest{FailureCode: "declined"}))
	first := paysim.Must(account.Webhooks.Next("payment.failed", id))
	same(t, first.Data.FailureCode, "declined")
	account.Webhooks.Respond(204)
	paysim.Must(account.AdvanceClock(paysim.AdvanceClockRequest{Until: "idle", Max: "1d"}))
	same(t, paysim.Must(account.Webhooks.Next("payment.failed")).ID, first.ID)
	same(t, paysim.Must(account.ListDeliveries()).Data[0].Status, "delivered")
}

func TestAForgedWebhookIsRefused(t *testing.T) {
	t.Parallel()
	account := paysim.NewAccount(t)
	paysim.Must(account.ReplaceFaults(paysim.ReplaceFaultsRequest{
		Faults: []paysim.FaultRule{{On: "webhook", Type: "bad_signature", Times: 1}},
	}))
	paysim.Must(account.SucceedPayment(pay(account, asItIs)))
	if _, err := account.Webhooks.Next("payment.succeeded"); err == nil || !strings.Contains(err.Error(), "signature") {
		t.Errorf("a forged webhook was taken: %v", err)
	}
	paysim.Must(account.AdvanceClock(paysim.AdvanceClockRequest{By: "1h"}))
	id := pay(account, asItIs)
	paysim.Must(account.SucceedPayment(id))
	same(t, paysim.Must(account.Webhooks.Next("payment.succeeded")).Data.ID, id)

	account.Webhooks.Timeout = time.Millisecond
	_, err := account.Webhooks.Next("payment.failed")
	if err == nil || !strings.Contains(err.Error(), "received: [payment.succeeded") {
		t.Errorf("it does not say what came: %v", err)
	}
	for url, status := range map[string]int{account.Webhooks.URL: 400, account.Webhooks.URL + "0": 410} {
		response := paysim.Must(http.Post(url, "application/json", strings.NewReader("{}")))
		response.Body.Close()
		same(t, response.StatusCode, status)
	}
}

func TestAWebhookThatComesAfterTheEndOfItsAccountIsRefused(t *testing.T) {
	simulator := paysim.Must(paysim.Shared())
	account := paysim.Must(simulator.CreateAccount("test", paysim.CreateMerchantRequest{}))
	if err := simulator.RemoveMerchant(account.ID[:strings.LastIndex(account.ID, ".")]); err != nil {
		t.Fatal(err)
	}
	response := paysim.Must(http.Post(account.Webhooks.URL, "application/json", strings.NewReader("{}")))
	response.Body.Close()
	same(t, response.StatusCode, 410)
}

func TestAnAccountIsExportedAndImported(t *testing.T) {
	t.Parallel()
	simulator := paysim.Must(paysim.Shared())
	account := paysim.Must(simulator.CreateAccount("live", paysim.CreateMerchantRequest{}))
	defer account.Close()
	id := pay(account, func(request *paysim.CreatePaymentRequest) { request.Customer.Name = "ä \"quoted\" <\u2028>" })
	other := paysim.Must(simulator.CreateAccount("live", paysim.CreateMerchantRequest{}))
	defer other.Close()
	archive := paysim.Must(account.ExportAccount())
	paysim.Must(other.ImportAccount(paysim.ImportAccountRequest(archive)))
	same(t, paysim.Must(other.ReadPayment(id)).Customer.Name, "ä \"quoted\" <\u2028>")
}

func TestAnAccountThatExistsIsOpenedAndKept(t *testing.T) {
	simulator := paysim.Must(paysim.Shared())
	account := paysim.Must(simulator.OpenAccount("default.test"))
	id := pay(account, asItIs)
	paysim.Must(account.SucceedPayment(id))
	paysim.Must(account.Webhooks.Next("payment.succeeded", id))
	same(t, account.Close() == nil, true)
	same(t, len(paysim.Must(account.ListEndpoints()).Data), 0)
	same(t, paysim.Must(account.ReadPayment(id)).Status, "succeeded")
	same(t, strings.Contains(paysim.Must(simulator.ReadMetrics()), "paysim_requests_total"), true)
	var ready struct{ Status string }
	same(t, simulator.Request("GET", "/ready", nil, &ready) == nil, true)
	same(t, ready.Status, "ready")
}
