"""Words that introduce numbers that do not identify persons."""

from __future__ import annotations

from abs_shield.quality.pii.recogniser import phrases

RIVALS = phrases(
    "order, orders, order id, order number, order no, bestellung, bestellnummer, commande, pedido, "
    "ordine, zamowienie, tracking, tracking number, shipment, parcel, invoice, rechnung, facture, "
    "factura, fattura, ticket, reservation, booking, buchung, confirmation, flight, item, items, "
    "product, products, sku, article, artikel, transaction, transactions, reference, ref, case, "
    "id, ids, serial, zip, zip code, postal code, postcode, plz, isbn, issn, ean, gtin, upc, doi, "
    "date, time, timestamp, year, amount, price, total, balance, cost, quantity, stock, version, "
    "purchase order, po number, p n, s n, "
    "part, part number, part no, part nr, serial number, serial no, model number, asset tag, "
    "queue, prescription plan, prescription drug, prescription benefit, prescription program, "
    "build, page, pages, room, apartment, street, phone model, model, batch, lot, key, token, "
    "pedidos, numero de pedido, encomenda, bestelling, bestelnummer, ordernummer, ordrenummer, "
    "ordre, ordrenr, tilaus, tilausnumero, numer zamowienia, zamowienia, numero de commande, "
    "numero ordine, "
    "lieferschein, sendungsnummer, sendung, colis, envio, spedizione, przesylka, zending, "
    "rechnungsnummer, numero de facture, numero de factura, nota fiscal, faktura, fakturanummer, "
    "fakturanr, factuur, factuurnummer, lasku, laskun, "
    "serie, numero de serie, numero di serie, seriennummer, serienummer, numer seryjny, "
    "sarjanumero, lote, lotto, chargennummer, partita, partia, parti, era, "
    "produkt, produktnummer, produit, producto, produto, prodotto, tuote, artikelnummer, articulo, "
    "articolo, artikkel, artykul, referencia, riferimento, modele, modelo, modello, modell, "
    "product code, part code, codigo de producto, codice prodotto, code produit, "
    "订单, 订单号, 序列号, 产品, 型号, 注文, 注文番号, 製造番号, シリアル番号, 型番, "
    "주문, 주문번호, 일련번호, 상품, "
    "hash, population, members, followers, views, latitude, longitude, lat, lng, lon, coordinates"
)
"""If one of them is nearer to a number than any context word, it is not an identifier."""
NAMELESS = RIVALS - phrases("id, ids, reference, ref, case, key, token, article, artikel")
"""The unambiguous ones: *id* and *reference* are also words for a person's number."""
