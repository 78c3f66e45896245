"""A value in running text of many languages is found, and an absent value is not."""

# ruff: noqa: E501

from __future__ import annotations

import json
from collections import Counter

import pytest

from abs_shield import Session, Shield, Tool, shield
from tests.rows import each_row

NBSP, NARROW, SHY, ZWNJ, ZWSP = "\u00a0", "\u202f", "\u00ad", "\u200c", "\u200b"
RLM, LRM, RLE, PDF, ALM = "\u200f", "\u200e", "\u202b", "\u202c", "\u061c"
SCHEMA = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "recipient": {"type": "string"},
        "name": {"type": "string"},
        "city": {"type": "string"},
    },
}

# Language and what is tested; the text; a value in it.
# fmt: off
SAID = [
    # Simplified Chinese: no blanks, full-width punctuation
    ("zh glued on both sides", "订单tx_12345谢谢", "tx_12345"),
    ("zh at the start", "TX-12345这个订单请退款", "TX-12345"),
    ("zh at the end", "请帮我退款TX-12345", "TX-12345"),
    ("zh full stop", "我要退的是TX-12345。", "TX-12345"),
    ("zh enumeration comma", "请查TX-12345、TX-12346和TX-12347", "TX-12346"),
    ("zh comma", "订单号TX-12345，麻烦快点", "TX-12345"),
    ("zh comma before a digit", "订单TX-12345，2天内退款", "TX-12345"),
    ("zh colon", "订单号：TX-12345", "TX-12345"),
    ("zh colon, respelt", "订单号：TX-12345", "tx_12345"),
    ("zh quotes", "编号是“TX-12345”的订单", "TX-12345"),
    ("zh brackets", "【订单】TX-12345（已付款）", "TX-12345"),
    ("zh question mark", "是不是TX-12345？不是就算了", "TX-12345"),
    ("zh ellipsis", "TX-12345……怎么还没到", "TX-12345"),
    ("zh ellipsis, respelt", "TX-12345……怎么还没到", "TX12345"),
    ("zh full-width text", "单号ＴＸ－１２３４５，谢谢", "TX-12345"),
    ("zh full-width value", "单号TX-12345，谢谢", "ＴＸ－１２３４５"),
    ("zh ideographic blank", "订单\u3000TX-12345\u3000退款", "TX-12345"),
    ("zh zero-width blanks", f"订单{ZWSP}TX-12345{ZWSP}退款", "TX-12345"),
    ("zh digits alone", "我的单号是202405201234麻烦查一下", "202405201234"),
    ("zh circled number", "请退①TX-12345②TX-67890", "TX-67890"),
    ("zh circled number before digits", "请退①88123456②88123457", "88123457"),
    ("zh plate", "车牌京A12345停在门口", "京A12345"),
    ("zh identity card", "身份证11010519491231002X已上传", "11010519491231002X"),
    ("zh contract", "合同甲-2024-0012已签", "甲-2024-0012"),
    ("zh e-mail", "请发到mia.li@x.org谢谢", "mia.li@x.org"),
    ("zh e-mail after a colon", "邮箱：mia.li@x.org，谢谢", "mia.li@x.org"),
    ("zh e-mail with full-width marks", "邮箱mia＠x．org吧", "mia@x.org"),
    ("zh native e-mail", "请发到用户@例子.公司谢谢", "用户@例子.公司"),
    ("zh URL", "请看https://x.org/orders/991吧", "https://x.org/orders/991"),
    ("zh URL before a question mark", "打开https://x.org/a/991？谢谢", "https://x.org/a/991"),
    ("zh URL without a scheme", "请看x.org/orders/991吧", "https://x.org/orders/991"),
    ("zh URL after a colon", "网址：x.org/orders/991", "https://x.org/orders/991"),
    ("zh host after a colon", "网站：shop.example.cn", "https://shop.example.cn"),
    ("zh phone", "电话13812345678联系我", "13812345678"),
    ("zh phone in groups", "我的手机138 1234 5678", "13812345678"),
    ("zh phone with its country's code", "我的手机138 1234 5678", "+8613812345678"),
    ("zh phone after a colon", "电话：138-1234-5678", "13812345678"),
    ("zh path", "文件在/home/mia/a.pdf里", "/home/mia/a.pdf"),
    ("zh native path", "文件在/数据/报告2024.pdf里", "/数据/报告2024.pdf"),
    ("zh Windows path", "保存到C:\\用户\\李雷\\发票.xlsx就行", "C:\\用户\\李雷\\发票.xlsx"),
    ("zh file", "打开report_2024.xlsx看看", "report_2024.xlsx"),
    ("zh handle", "通知@mia_li谢谢", "@mia_li"),
    ("zh handle with a dot", "通知@mia.li谢谢", "@mia.li"),
    ("zh native handle", "请@小明2024看一下", "@小明2024"),
    ("zh IBAN", "汇到DE89 3704 0044 0532 0130 00谢谢", "DE89370400440532013000"),
    ("zh IBAN after a colon", "账号：DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    ("zh date", "2024年5月20日发货", "2024-05-20"),
    ("zh date after a colon", "日期：2024/05/20", "2024-05-20"),
    ("zh amount", "退款１，５００元", "1500"),
    ("zh amount after a colon", "金额：1,500元", "1500"),
    ("zh person", "把票改成李雷的名字", "李雷"),
    ("zh city", "从北京飞到上海", "上海"),
    # Traditional Chinese
    ("zh-Hant glued", "訂單TX-12345謝謝", "TX-12345"),
    ("zh-Hant corner quotes", "編號「TX-12345」請退款", "TX-12345"),
    ("zh-Hant double corner quotes", "編號『TX-12345』請退款", "TX-12345"),
    ("zh-Hant full-width hash", "訂單＃88123456已付款", "88123456"),
    ("zh-Hant phone", "手機0912-345-678請來電", "0912345678"),
    ("zh-Hant phone with its country's code", "手機0912-345-678請來電", "+886912345678"),
    ("zh-Hant person", "收件人是陳美玲小姐", "陳美玲"),
    ("zh-Hant city", "寄到臺北市信義區", "臺北市"),
    # Japanese: particles, corner quotes, half-width katakana
    ("ja を", "TX-12345をキャンセルして", "TX-12345"),
    ("ja は", "TX-12345はまだですか", "TX-12345"),
    ("ja の", "注文TX-12345の返金をお願いします", "TX-12345"),
    ("ja です", "注文番号はTX-12345です。", "TX-12345"),
    ("ja corner quotes", "「TX-12345」を返金", "TX-12345"),
    ("ja middle dot", "TX-12345・TX-12346を返金", "TX-12346"),
    ("ja wave dash", "TX-12345〜TX-12350を返金", "TX-12350"),
    ("ja full-width tilde, respelt", "TX-12345～TX-12350を返金", "TX12350"),
    ("ja full-width", "注文番号：ＴＸ＿１２３４５", "tx_12345"),
    ("ja half-width label", "ｵｰﾀﾞｰTX-12345｡", "TX-12345"),
    ("ja telephone sign", "℡03-1234-5678まで", "03-1234-5678"),
    ("ja phone", "電話は03-1234-5678です", "0312345678"),
    ("ja phone with its country's code", "電話は03-1234-5678です", "+81312345678"),
    ("ja phone after a colon", "電話：03-1234-5678", "0312345678"),
    ("ja long-vowel mark as hyphen", "携帯は090ー1234ー5678です", "090-1234-5678"),
    ("ja post code", "〒150-0001東京都渋谷区", "150-0001"),
    ("ja e-mail", "mia.li@x.orgに送って", "mia.li@x.org"),
    ("ja native host", "連絡先はmia@例え.jpです", "mia@例え.jp"),
    ("ja URL", "https://x.org/a/991を開いて", "https://x.org/a/991"),
    ("ja native URL", "https://ja.wikipedia.org/wiki/東京を読んで", "https://ja.wikipedia.org/wiki/東京"),
    ("ja percent-encoded URL", "https://ja.wikipedia.org/wiki/東京 を読んで", "https://ja.wikipedia.org/wiki/%E6%9D%B1%E4%BA%AC"),
    ("ja path", "資料は/home/mia/a.pdfにあります", "/home/mia/a.pdf"),
    ("ja handle", "連絡は@mia.liさんへ", "@mia.li"),
    ("ja date", "2024年5月20日に発送", "2024-05-20"),
    ("ja amount", "¥1,500を返金", "1500"),
    ("ja plate", "品川300あ1234の車", "品川300あ1234"),
    ("ja person", "山田太郎様の予約", "山田太郎"),
    ("ja person with a blank", "山田 太郎様の予約", "山田 太郎"),
    ("ja person without the blank", "名前は山田 太郎です", "山田太郎"),
    ("ja half-width person", "ﾔﾏﾀﾞ ﾀﾛｳです", "ヤマダ タロウ"),
    ("ja company sign", "㈱山田商事に請求", "山田商事"),
    ("ja city", "東京へ行きたい", "東京"),
    # Korean: particles are glued
    ("ko 를", "주문 TX-12345를 취소해 주세요", "TX-12345"),
    ("ko 을", "주문 TX-12346을 취소해 주세요", "TX-12346"),
    ("ko 은", "TX-12345은 언제 오나요?", "TX-12345"),
    ("ko 에서", "TX-12345에서 하나만 빼 주세요", "TX-12345"),
    ("ko glued before", "주문번호TX-12345입니다.", "TX-12345"),
    ("ko digits", "송장번호 123456789012로 조회", "123456789012"),
    ("ko account", "계좌는 110-123-456789예요", "110123456789"),
    ("ko phone", "010-1234-5678로 전화 주세요", "01012345678"),
    ("ko phone with its country's code", "010-1234-5678로 전화 주세요", "+821012345678"),
    ("ko phone after a colon", "연락처:010-1234-5678", "01012345678"),
    ("ko e-mail", "mia.li@x.org로 보내 주세요", "mia.li@x.org"),
    ("ko URL", "https://x.org/a/991에서 확인", "https://x.org/a/991"),
    ("ko path", "파일은 /home/mia/보고서.pdf에 있어요", "/home/mia/보고서.pdf"),
    ("ko handle", "@mia_li님께 알려 주세요", "@mia_li"),
    ("ko date", "2024년 5월 20일에 발송", "2024-05-20"),
    ("ko dotted date", "2024. 5. 20. 발송", "2024-05-20"),
    ("ko amount", "1,500원을 환불", "1500"),
    ("ko plate", "차량 12가3456을 등록", "12가3456"),
    ("ko person", "김민수님은 오셨나요", "김민수"),
    ("ko person in jamo", "\u1100\u1175\u11b7\u1106\u1175\u11ab\u1109\u116e님", "김민수"),
    ("ko city", "서울에서 부산까지", "부산"),
    # Thai: no blanks, vowel signs, digits of its own
    ("th glued", "ยกเลิกคำสั่งซื้อTX-12345ค่ะ", "TX-12345"),
    ("th after a vowel sign", "ขอคืนสินค้าที่TX-12345นะ", "TX-12345"),
    ("th digits", "เลขที่๑๒๓๔๕๖๗ค่ะ", "1234567"),
    ("th digits in an id", "รหัสTX-๑๒๓๔๕ครับ", "TX-12345"),
    ("th value in its digits", "เลขที่ 1234567 ค่ะ", "๑๒๓๔๕๖๗"),
    ("th phone", "โทร 081-234-5678 ค่ะ", "0812345678"),
    ("th phone after a dot", "โทร.081-234-5678", "0812345678"),
    ("th e-mail", "ส่งไปที่mia.li@x.orgนะคะ", "mia.li@x.org"),
    ("th URL", "ดูที่https://x.org/a/991นะ", "https://x.org/a/991"),
    ("th path", "ไฟล์อยู่ที่/home/mia/a.pdfนะ", "/home/mia/a.pdf"),
    ("th zero-width blanks", f"คำสั่ง{ZWSP}ซื้อ{ZWSP}TX-12345{ZWSP}ค่ะ", "TX-12345"),
    ("th amount", "คืนเงิน๑,๕๐๐บาท", "1500"),
    ("th person", "จองในชื่อคุณสมชายค่ะ", "สมชาย"),
    ("th city", "บินไปเชียงใหม่พรุ่งนี้", "เชียงใหม่"),
    # Arabic and Persian: from right to left, digits of their own
    ("ar comma", "الطلب TX-12345، شكراً", "TX-12345"),
    ("ar question mark", "هل وصل TX-12345؟", "TX-12345"),
    ("ar semicolon", "ألغِ TX-12345؛ شكرا", "TX-12345"),
    ("ar quotes", "الطلب «TX-12345» لم يصل", "TX-12345"),
    ("ar after a prefix", "بالنسبة لTX-12345 من فضلك", "TX-12345"),
    ("ar after a stretched prefix", "اتصل بـTX-12345", "TX-12345"),
    ("ar digits", "رقم الطلب ١٢٣٤٥٦٧", "1234567"),
    ("ar digits in an id", "الطلب TX-١٢٣٤٥ من فضلك", "TX-12345"),
    ("fa digits", "سفارش ۱۲۳۴۵۶۷ را لغو کن", "1234567"),
    ("fa joiner", f"سفارش{ZWNJ}TX-12345{ZWNJ}را لغو کن", "TX-12345"),
    ("ar right-to-left mark", f"الطلب {RLM}TX-12345{RLM}، شكرا", "TX-12345"),
    ("ar marks inside", f"الطلب TX{LRM}-{LRM}12345", "TX-12345"),
    ("ar embedding", f"{RLE}الطلب TX-12345{PDF}", "TX-12345"),
    ("ar letter mark", f"الطلب {ALM}TX-12345{ALM}", "TX-12345"),
    ("ar value with a mark", "الطلب TX-12345", f"{RLM}TX-12345"),
    ("ar phone", "هاتفي ٠٥٠ ١٢٣ ٤٥٦٧", "0501234567"),
    ("ar phone with its country's code", "هاتفي ٠٥٠ ١٢٣ ٤٥٦٧", "+966501234567"),
    ("ar phone after a colon", "هاتف:050-123-4567", "0501234567"),
    ("ar e-mail", f"أرسل إلى {RLM}mia.li@x.org{RLM}، شكرا", "mia.li@x.org"),
    ("ar URL", "افتح https://x.org/a/991، شكرا", "https://x.org/a/991"),
    ("ar IBAN", "الآيبان SA03 8000 0000 6080 1016 7519", "SA0380000000608010167519"),
    ("ar amount", "استرداد ١٬٥٠٠ ريال", "1500"),
    ("ar decimal amount", "استرداد ١٢٫٥٠ ريال", "12.50"),
    ("ar date", "موعد ٢٠/٠٥/٢٠٢٤", "2024-05-20"),
    ("ar person", "باسم محمد العلي، شكرا", "محمد العلي"),
    ("ar person with vowel signs", "باسم مُحَمَّد العلي", "محمد العلي"),
    ("ar city", "السفر إلى الرياض.", "الرياض"),
    # Hindi: digits of its own, danda, postpositions
    ("hi danda", "मेरा ऑर्डर TX-12345।", "TX-12345"),
    ("hi postposition", "TX-12345को रद्द करें", "TX-12345"),
    ("hi glued before", "ऑर्डरTX-12345 रद्द करें", "TX-12345"),
    ("hi after a vowel sign", "कीTX-12345", "TX-12345"),
    ("hi digits", "ऑर्डर १२३४५६७ रद्द करें।", "1234567"),
    ("hi digits in an id", "ऑर्डर TX-१२३४५ रद्द करें", "TX-12345"),
    ("hi phone", "फ़ोन ९८७६५ ४३२१०।", "9876543210"),
    ("hi phone with its country's code", "फ़ोन 98765 43210।", "+919876543210"),
    ("hi e-mail", "mia.li@x.orgपर भेजें", "mia.li@x.org"),
    ("hi amount", "₹१,५०,००० वापस करें", "150000"),
    ("hi date", "दिनांक २०/०५/२०२४", "2024-05-20"),
    ("hi person", "प्रिया शर्मा को बुलाओ", "प्रिया शर्मा"),
    ("hi dotted letter composed", "फ\u093cरहान को बुलाओ", "\u095eरहान"),
    ("hi city", "मुंबई में होटल", "मुंबई"),
    # Russian
    ("ru comma", "заказ TX-12345, спасибо", "TX-12345"),
    ("ru quotes", "заказ «TX-12345» не пришёл", "TX-12345"),
    ("ru number sign", "заказ №88123456 не пришёл", "88123456"),
    ("ru number sign glued", "заказ№TX-12345 не пришёл", "TX-12345"),
    ("ru number sign glued, respelt", "заказ№TX-12345 не пришёл", "TX12345"),
    ("ru glued", "ИНН7707083893", "7707083893"),
    ("ru Cyrillic id", "договор АБ-12345/7 подписан", "АБ-12345/7"),
    ("ru plate", "машина А123ВС77 у входа", "А123ВС77"),
    ("ru phone", "тел. +7 (912) 345-67-89", "+79123456789"),
    ("ru phone with eight", "тел. 8 (912) 345-67-89", "+79123456789"),
    ("ru phone in pairs", "тел. 8 912 345 67 89", "+79123456789"),
    ("ru native e-mail", "пишите на иван@почта.рф, спасибо", "иван@почта.рф"),
    ("ru native URL", "открой https://пример.рф/заказ/991.", "https://пример.рф/заказ/991"),
    ("ru handle", "напиши @мария_92, пожалуйста", "@мария_92"),
    ("ru path", "файл C:\\Документы\\счёт 12.pdf", "C:\\Документы\\счёт 12.pdf"),
    ("ru ё", "файл отчёт.xlsx", "отчет.xlsx"),
    ("ru date", "доставка 20.05.2024", "2024-05-20"),
    ("ru amount", f"верните 1{NBSP}500 ₽", "1500"),
    ("ru decimal amount", f"верните 1{NBSP}500,00 ₽", "1500"),
    ("ru person", "бронь на имя Мария Иванова.", "Мария Иванова"),
    ("ru city", "лечу в город МОСКВА", "Москва"),
    # German
    ("de quotes", "die Bestellung „TX-12345“ fehlt", "TX-12345"),
    ("de guillemets", "die Bestellung »TX-12345« fehlt", "TX-12345"),
    ("de compound", "die TX-12345-Bestellung fehlt", "TX-12345"),
    ("de compound, respelt", "die TX-12345-Bestellung fehlt", "tx_12345"),
    ("de glued label", "Bestell-Nr.TX-12345 fehlt", "TX-12345"),
    ("de glued label, respelt", "Bestell-Nr.TX-12345 fehlt", "TX12345"),
    ("de soft hyphen", f"Bestel{SHY}lung TX-{SHY}12345 fehlt", "TX-12345"),
    ("de no-break hyphen", "Bestellung TX\u201112345 fehlt", "TX-12345"),
    ("de IBAN", f"IBAN DE89{NBSP}3704{NBSP}0044{NBSP}0532{NBSP}0130{NBSP}00", "DE89370400440532013000"),
    ("de phone", "Tel. 030/12345678", "03012345678"),
    ("de phone in pairs", "Tel. 030 12 34 56 78", "+493012345678"),
    ("de phone with its country's code", "Tel. 0171 1234567", "+491711234567"),
    ("de amount", "bitte 1.500,00 € erstatten", "1500"),
    ("de decimal amount", "bitte 1.234,56 € erstatten", "1234.56"),
    ("de date", "am 20.5.2024 liefern", "2024-05-20"),
    ("de umlaut in an e-mail", "an jürgen@müller.de, danke", "jürgen@müller.de"),
    ("de path", "die Datei /home/jürgen/Straße.pdf öffnen", "/home/jürgen/Strasse.pdf"),
    ("de person", "auf Jürgen Müller gebucht", "Juergen Mueller"),
    ("de person, the other way", "auf Juergen Mueller gebucht", "Jürgen Müller"),
    ("de sharp s", "in der HAUPTSTRASSE", "Hauptstraße"),
    ("de decomposed", "nach Ko\u0308ln fahren", "Köln"),
    # Turkish: apostrophes, dotted and dotless i
    ("tr accusative", "TX-12345'i iptal et", "TX-12345"),
    ("tr typographic apostrophe", "TX-12345’in durumu ne?", "TX-12345"),
    ("tr letter apostrophe", "TX-12345ʼi iptal et", "TX-12345"),
    ("tr digits", "88123456'yı iptal et", "88123456"),
    ("tr dotted capital", "SİPARİŞ-12345 nerede", "sipariş-12345"),
    ("tr dotless", "KAYIT-12345 nerede", "kayıt-12345"),
    ("tr dotted e-mail", "İLETİŞİM@X.ORG adresine yaz", "iletişim@x.org"),
    ("tr e-mail", "mia.li@x.org'a gönder", "mia.li@x.org"),
    ("tr IBAN", "TR33 0006 1005 1978 6457 8413 26'ya gönder", "TR330006100519786457841326"),
    ("tr phone", "0532 123 45 67'yi ara", "05321234567"),
    ("tr phone with its country's code", "0532 123 45 67'yi ara", "+905321234567"),
    ("tr plate", "34 ABC 123 plakalı araç", "34ABC123"),
    ("tr person", "Ayşe'nin siparişi", "Ayşe"),
    ("tr city in capitals", "İSTANBUL'a bilet", "istanbul"),
    ("tr city with dotless i", "IĞDIR uçuşu", "Iğdır"),
    ("tr city without signs", "Şanlıurfa'ya bilet", "Sanliurfa"),
    # Hebrew
    ("he plain", "הזמנה TX-12345 בבקשה", "TX-12345"),
    ("he prefix", "תבטל את ההזמנה ל-TX-12345", "TX-12345"),
    ("he prefix, respelt", "תבטל את ההזמנה ל-TX-12345", "tx_12345"),
    ("he maqaf", "תבטל את ה־TX-12345", "TX-12345"),
    ("he mark", f"הזמנה {RLM}TX-12345{RLM}.", "TX-12345"),
    ("he phone after a prefix", "תתקשר ל-050-1234567", "0501234567"),
    ("he person", "על שם דוד כהן.", "דוד כהן"),
    ("he city", "טיסה לתל-אביב או תל אביב", "תל אביב"),
    # Greek
    ("el question mark", "πού είναι το TX-12345\u037e", "TX-12345"),
    ("el quotes", "η παραγγελία «TX-12345»", "TX-12345"),
    ("el label", "αρ.88123456 παρακαλώ", "88123456"),
    ("el final sigma", "στο όνομα ΓΙΩΡΓΟΣ", "Γιώργος"),
    ("el city", "πτήση για Αθήνα", "ΑΘΗΝΑ"),
    # Vietnamese, Polish
    ("vi plain", "huỷ đơn hàng TX-12345, cảm ơn", "TX-12345"),
    ("vi decomposed", "đặt cho Nguye\u0302\u0303n Va\u0306n Nam", "Nguyễn Văn Nam"),
    ("vi composed", "đặt cho Nguyễn Văn Nam", "Nguye\u0302\u0303n Va\u0306n Nam"),
    ("vi without signs", "bay đến Đà Nẵng", "Da Nang"),
    ("vi phone", "gọi 0912 345 678 nhé", "+84912345678"),
    ("vi amount", "hoàn 1.500.000đ cho tôi", "1500000"),
    ("pl quotes", "zamówienie „TX-12345” nie dotarło", "TX-12345"),
    ("pl phone", "tel. +48 512 345 678", "+48512345678"),
    ("pl phone without its country's code", "tel. 512-345-678", "+48512345678"),
    ("pl city", "paczka w mieście Łódź", "Lodz"),
    # French, Spanish, Portuguese
    ("fr quotes", f"la commande «{NARROW}TX-12345{NARROW}» svp", "TX-12345"),
    ("fr degree", "commande n°88123456 svp", "88123456"),
    ("fr elision", "l'identifiant d'TX-12345", "TX-12345"),
    ("fr phone", "appelle le 06 12 34 56 78", "0612345678"),
    ("fr phone with its country's code", "appelle le 06 12 34 56 78", "+33612345678"),
    ("fr amount", f"rembourser 1{NARROW}500 €", "1500"),
    ("fr person", "réservé pour HÉLÈNE", "Hélène"),
    ("fr city", "un vol d’Orléans", "Orleans"),
    ("es question", "¿Dónde está TX-12345?", "TX-12345"),
    ("es exclamation", "¡TX-12345!", "TX-12345"),
    ("es ordinal", "el pedido nº88123456 no llegó", "88123456"),
    ("es phone", "llama al 612 34 56 78", "+34612345678"),
    ("es person", "a nombre de José Muñoz", "Jose Munoz"),
    ("pt ordinal", "o pedido Nº 88123456 não chegou", "88123456"),
    ("fr footnote", "la commande 88123456² svp", "88123456"),
    ("de trademark", "das Konto von Acme™ prüfen", "Acme"),
    # Suffixes after a colon or a hyphen; more scripts
    ("fi colon", "TX-12345:n tila", "TX-12345"),
    ("fi colon, respelt", "TX-12345:n tila", "tx_12345"),
    ("fi e-mail", "lähetä mia.li@x.org:iin", "mia.li@x.org"),
    ("hu hyphen", "töröld a TX-12345-öt", "TX-12345"),
    ("hu hyphen, respelt", "töröld a TX-12345-öt", "tx_12345"),
    ("hu e-mail", "küldd a mia.li@x.org-ra", "mia.li@x.org"),
    ("ka hyphen", "გააუქმე TX-12345-ის", "TX-12345"),
    ("uk quotes", "замовлення «TX-12345» не прийшло", "TX-12345"),
    ("bn digits", "অর্ডার ১২৩৪৫৬৭টি বাতিল করুন।", "1234567"),
    ("ta glued", "TX-12345ஐ ரத்து செய்", "TX-12345"),
    ("km glued", "បោះបង់TX-12345ហើយ", "TX-12345"),
    ("my glued", "TX-12345ကို ပယ်ဖျက်ပါ", "TX-12345"),
    ("my digits", "အော်ဒါ၁၂၃၄၅၆၇ကို ပယ်ဖျက်ပါ", "1234567"),
]

# Texts with a gap for each value of VALUES.
CARRIERS = {
    "zh": "请帮我处理{}谢谢",
    "zh comma": "关于{}，请帮我处理",
    "zh-Hant": "請處理「{}」謝謝",
    "ja": "すみませんが{}を確認してください",
    "ja stop": "対象は{}。",
    "ko": "그리고 {}에서 확인해 주세요",
    "th": "ช่วยตรวจสอบ{}ให้หน่อยค่ะ",
    "ar": "من فضلك تحقق من {}، شكرا",
    "ar question": f"هل وصل {RLM}{{}}{RLM}؟",
    "fa": f"لطفا {{}}{ZWNJ}را بررسی کن",
    "hi": "कृपया {}को जाँचें।",
    "ru": "проверьте «{}», пожалуйста",
    "de": "bitte „{}“ prüfen",
    "tr": "lütfen {}'i kontrol et",
    "he": f"בבקשה {RLM}{{}}{RLM}, תודה",
    "el": "ελέγξτε «{}»·",
    "vi": "vui lòng kiểm tra {}, cảm ơn",
    "pl": "proszę sprawdzić „{}”.",
    "fr": f"vérifie «{NBSP}{{}}{NBSP}» svp",
    "es": "¿puedes revisar {}?",
}
# A value; the same value with one character changed, removed or added.
VALUES = [
    ("tx_12345", ["tx_12346", "tx_1234", "tx_123456"]),
    ("TX-88123", ["TX-88124", "TX-8812", "TX-881230"]),
    ("#W2378156", ["#W2378157", "#W237815", "#W23781560"]),
    ("202405201234", ["202405201235", "20240520123", "2024052012340"]),
    ("mia.li@x.org", ["mia.lu@x.org", "mia.l@x.org", "mia.lis@x.org"]),
    ("https://x.org/orders/991", ["https://x.org/orders/992", "https://x.org/orders/9911"]),
    ("DE89370400440532013000", ["DE89370400440532013001", "DE8937040044053201300"]),
    ("+49 30 12345678", ["+49 30 12345679", "+49 30 123456789"]),
    ("/srv/mia/report_7.pdf", ["/srv/mia/report_8.pdf", "/srv/mio/report_7.pdf"]),
    ("@mia_li", ["@mia_lo", "@mia_lin"]),
    ("9f1c2d3e-0a1b-4c2d-8e3f-123456789abc", ["9f1c2d3e-0a1b-4c2d-8e3f-123456789abd"]),
    ("SKU88412X", ["SKU88413X", "SKU88412Y", "SKU88412"]),
]

# Language and what is tested; the text; an identifier that is not in it.
UNSAID = [
    ("zh changed", "订单tx_12345谢谢", "tx_12346"),
    ("zh cut", "订单tx_12345谢谢", "tx_1234"),
    ("zh lengthened", "订单tx_12345谢谢", "tx_123456"),
    ("zh full-width changed", "单号ＴＸ－１２３４５", "TX-12354"),
    ("zh plate of another place", "车牌京A12345停在门口", "沪A12345"),
    ("zh native letter changed", "合同甲20240012已签", "乙20240012"),
    ("zh native letter with a hyphen", "合同甲-20240012已签", "乙-20240012"),
    ("zh digits put together anew", "合同-2024-0012已签", "合同-2024-0024"),
    ("zh last digit changed", "报告-2024-01已上传", "报告-2024-02"),
    ("zh native URL cut", "打开https://x.cn/订单/12345", "https://x.cn/订单/1234"),
    ("zh native path changed", "文件在/数据/报告2024.pdf里", "/数据/报表2024.pdf"),
    ("zh native e-mail changed", "请发到用户@例子.公司谢谢", "用户7@例子.公司"),
    ("zh circled number is no digit", "请退①88123", "188123"),
    ("zh lengthened in front", "我的单号是88123456谢谢", "99988123456"),
    ("zh shorter address", "请发到mia.li@x.org谢谢", "li@x.org"),
    ("zh phone changed", "电话：138-1234-5678", "13812345679"),
    ("zh-Hant changed", "訂單TX-12345謝謝", "TX-13245"),
    ("zh-Hant cut", "訂單＃88123456已付款", "8812345"),
    ("ja changed", "TX-12345をキャンセルして", "TX-12344"),
    ("ja cut", "注文番号はTX-12345です", "TX-1234"),
    ("ja lengthened", "「TX-12345」を返金", "TX-123450"),
    ("ja plate", "品川300あ1234の車", "品川300い1234"),
    ("ja phone changed", "電話は03-1234-5678です", "03-1234-5679"),
    ("ko changed", "주문 TX-12345를 취소", "TX-12355"),
    ("ko cut", "주문번호TX-12345입니다", "TX-1234"),
    ("ko lengthened", "주문번호TX-12345입니다", "TX-123459"),
    ("ko plate", "차량 12가3456을 등록", "12나3456"),
    ("ko two plates crossed", "차량 12가3456과 34나7890을 등록", "12나7890"),
    ("ko account changed", "계좌는 110-123-456789예요", "110123456788"),
    ("ko native id", "계약-2024-0012를 보여 줘", "계약-2024-0024"),
    ("th changed", "ยกเลิกคำสั่งซื้อTX-12345ค่ะ", "TX-12346"),
    ("th digits changed", "เลขที่๑๒๓๔๕๖๗ค่ะ", "1234568"),
    ("th digits cut", "เลขที่๑๒๓๔๕๖๗ค่ะ", "123456"),
    ("ar changed", "الطلب TX-12345، شكراً", "TX-12347"),
    ("ar digits changed", "رقم الطلب ١٢٣٤٥٦٧", "1234576"),
    ("ar digits cut", "رقم الطلب ١٢٣٤٥٦٧", "١٢٣٤٥٦"),
    ("fa digits lengthened", "سفارش ۱۲۳۴۵۶۷ را لغو کن", "12345678"),
    ("ar IBAN changed", "الآيبان SA03 8000 0000 6080 1016 7519", "SA0380000000608010167518"),
    ("hi changed", "TX-12345को रद्द करें", "TX-12340"),
    ("hi digits changed", "ऑर्डर १२३४५६७ रद्द करें।", "1234560"),
    ("hi phone changed", "फ़ोन ९८७६५ ४३२१०।", "9876543211"),
    ("ru changed", "заказ «TX-12345» не пришёл", "TX-12346"),
    ("ru cut", "заказ №88123456 не пришёл", "8812345"),
    ("ru plate", "машина А123ВС77 у входа", "А123ВЕ77"),
    ("ru Cyrillic id", "договор АБ-12345 подписан", "АВ-12345"),
    ("ru native e-mail", "пишите на иван@почта.рф", "иванов@почта.рф"),
    ("de compound changed", "die TX-12345-Bestellung fehlt", "TX-12346"),
    ("de compound cut", "die TX-12345-Bestellung fehlt", "TX-1234"),
    ("de IBAN changed", "IBAN DE89 3704 0044 0532 0130 00", "DE89370400440532013001"),
    ("de e-mail of another", "an jürgen@müller.de", "jürgens@müller.de"),
    ("tr changed", "TX-12345'i iptal et", "TX-12346"),
    ("tr cut", "88123456'yı iptal et", "8812345"),
    ("tr another letter", "KAYIT-12345 nerede", "kayat-12345"),
    ("he changed", "תבטל את ה־TX-12345", "TX-12346"),
    ("he phone changed", "תתקשר ל-050-1234567", "0501234568"),
    ("el changed", "πού είναι το TX-12345\u037e", "TX-12346"),
    ("vi changed", "huỷ đơn hàng TX-12345, cảm ơn", "TX-12346"),
    ("vi phone changed", "gọi 0912 345 678 nhé", "+84912345679"),
    ("pl phone changed", "tel. +48 512 345 678", "+48512345679"),
    ("fr changed", "commande n°88123456 svp", "88123457"),
    ("fr phone changed", "appelle le 06 12 34 56 78", "0612345679"),
    ("es changed", "el pedido nº88123456 no llegó", "88123457"),
    ("fr footnote is no digit", "la commande 88123456² svp", "881234562"),
    ("fi changed", "TX-12345:n tila", "TX-12346"),
    ("hu changed", "töröld a TX-12345-öt", "TX-12346"),
    ("bn digits changed", "অর্ডার ১২৩৪৫৬৭টি বাতিল করুন।", "1234568"),
]

# Language and what is tested; the text; a parameter and a name that is not invented.
NAMED = [
    ("zh there", "把票改成李雷的名字", {"name": "李雷"}),
    ("zh transliterated", "从北京飞到上海", {"city": "Beijing"}),
    ("zh person transliterated", "把票改成李雷的名字", {"name": "Li Lei"}),
    ("zh recipient", "转账给李雷", {"recipient": "李雷"}),
    ("zh recipient transliterated", "转账给李雷", {"recipient": "Li Lei"}),
    ("zh with an English title", "帮我买一本《The Great Gatsby》寄到北京", {"city": "Beijing"}),
    ("zh traditional for simplified", "寄到台湾的台北", {"city": "臺北"}),
    ("zh-Hant transliterated", "寄到臺北市信義區", {"city": "Taipei"}),
    ("ja there", "山田太郎様の予約", {"name": "山田太郎"}),
    ("ja transliterated", "東京へ行きたい", {"city": "Tokyo"}),
    ("ja person transliterated", "山田太郎様の予約", {"name": "Taro Yamada"}),
    ("ja half-width", "ﾔﾏﾀﾞです", {"name": "ヤマダ"}),
    ("ja in katakana", "山田太郎です", {"name": "ヤマダ タロウ"}),
    ("ko particle", "서울에서 부산까지", {"city": "서울"}),
    ("ko transliterated", "서울에서 부산까지", {"city": "Seoul"}),
    ("ko person", "김민수님께 보내 줘", {"name": "김민수"}),
    ("ko person transliterated", "김민수님께 보내 줘", {"name": "Kim Minsu"}),
    ("ko recipient transliterated", "김민수님께 송금해 줘", {"recipient": "Kim Minsu"}),
    ("th there", "จองในชื่อคุณสมชายค่ะ", {"name": "สมชาย"}),
    ("th transliterated", "บินไปกรุงเทพฯพรุ่งนี้", {"city": "Bangkok"}),
    ("th person transliterated", "จองในชื่อคุณสมชายค่ะ", {"name": "Somchai"}),
    ("ar prefix", "أريد السفر للرياض غدا", {"city": "الرياض"}),
    ("ar transliterated", "أريد السفر إلى دبي", {"city": "Dubai"}),
    ("ar person", "باسم محمد العلي", {"name": "Mohammed Al-Ali"}),
    ("ar hamza", "باسم أحمد", {"name": "احمد"}),
    ("fa transliterated", "پرواز به تهران", {"city": "Tehran"}),
    ("hi postposition", "मुंबई में होटल चाहिए", {"city": "मुंबई"}),
    ("hi oblique", "आगरे में होटल चाहिए", {"city": "आगरा"}),
    ("hi transliterated", "मुंबई में होटल चाहिए", {"city": "Mumbai"}),
    ("hi person", "प्रिया को बुलाओ", {"name": "Priya"}),
    ("ru inflected", "бронь для Марии", {"name": "Мария"}),
    ("ru city inflected", "лечу в Москву", {"city": "Москва"}),
    ("ru transliterated", "лечу в Москву", {"city": "Moscow"}),
    ("ru person transliterated", "бронь для Марии Ивановой", {"name": "Maria Ivanova"}),
    ("ru recipient transliterated", "переведи Марии Ивановой", {"recipient": "Maria Ivanova"}),
    ("ru with an English brand", "закажи куртку The North Face в Москву", {"city": "Moscow"}),
    ("de genitive", "das Wetter Hamburgs", {"city": "Hamburg"}),
    ("de umlaut", "ein Zimmer in Koeln", {"city": "Köln"}),
    ("de exonym", "ein Zimmer in Köln, bitte", {"city": "Cologne"}),
    ("de preposition an", "Paket an Filiale Köln senden", {"city": "Cologne"}),
    ("de person", "Termin bei Frau Müllers Vertretung", {"name": "Müller"}),
    ("tr suffix", "Ankara'ya bilet al", {"city": "Ankara"}),
    ("tr suffix without apostrophe", "Ankaraya bilet al", {"city": "Ankara"}),
    ("tr softened", "Ahmet Kartal'ın Zonguldağa bileti", {"city": "Zonguldak"}),
    ("tr person", "Ayşe'nin siparişi", {"name": "Ayşe"}),
    ("tr dotted capital", "İSTANBUL uçuşu", {"city": "Istanbul"}),
    ("tr dotless", "IĞDIR uçuşu", {"city": "Iğdır"}),
    ("tr ten", "İzmire on bilet al", {"city": "İzmir"}),
    ("he prefix", "טיסה לירושלים", {"city": "ירושלים"}),
    ("he transliterated", "טיסה לירושלים", {"city": "Jerusalem"}),
    ("el inflected", "πτήση από την Αθήνα στο Λονδίνο", {"city": "Athens"}),
    ("el vocative", "πες του Γιώργου", {"name": "Γιώργος"}),
    ("vi without signs", "đặt phòng ở Đà Nẵng", {"city": "Da Nang"}),
    ("vi person named An", "đặt vé đi Hà Nội cho anh An", {"city": "Hanoi"}),
    ("vi decomposed", "đặt cho Nguye\u0302\u0303n Va\u0306n Nam", {"name": "Nguyễn Văn Nam"}),
    ("pl inflected", "lecę do Krakowa", {"city": "Kraków"}),
    ("pl exonym", "lecę do Warszawy", {"city": "Warsaw"}),
    ("pl person", "zadzwoń do Anny", {"name": "Anna"}),
    ("cs inflected", "letenka do Prahy", {"city": "Praha"}),
    ("sv preposition i", "boka hotell i Göteborg", {"city": "Gothenburg"}),
    ("fr exonym", "un vol pour Londres", {"city": "London"}),
    ("fr pronoun on", "on part demain à Londres", {"city": "London"}),
    ("es exonym", "quiero volar a Londres", {"city": "London"}),
    ("es pronoun me", "me voy a Londres", {"city": "London"}),
    ("it article i", "prenota i biglietti: Firenze", {"city": "Florence"}),
    ("en Polish name without signs", "Please ship it to Łódź", {"city": "Lodz"}),
    ("en Vietnamese name without signs", "Please fly me to Đà Nẵng", {"city": "Da Nang"}),
    ("en Danish name", "Please fly me to Sønderborg", {"city": "Sonderborg"}),
    ("en Chinese name", "Please book me a flight to 北京", {"city": "Beijing"}),
    ("en Russian name", "Please send it to Мария Иванова", {"name": "Maria Ivanova"}),
]

# Language and what is tested; a result; a value in it.
RETURNED = [
    ("zh nested", {"订单": {"编号": "TX-12345", "收件人": "李雷"}}, "TX-12345"),
    ("zh list", {"明细": [{"商品号": "SKU-88412"}, {"商品号": "SKU-88413"}]}, "SKU-88413"),
    ("zh prose", {"备注": "客户李雷的订单TX-12345已经于昨天发货，请在三天之内联系仓库确认，谢谢配合。"}, "TX-12345"),
    ("zh name", {"收件人": "李雷"}, "李雷"),
    ("zh key", {"订单": {"TX-12345": {"状态": "已付款"}}}, "TX-12345"),
    ("zh JSON text", json.dumps({"订单号": "TX-12345"}, ensure_ascii=False), "TX-12345"),
    ("zh escaped JSON", json.dumps({"路径": "/数据/报告.pdf"}), "/数据/报告.pdf"),
    ("zh YAML", "订单号：TX-12345\n收件人：李雷\n电话：138-1234-5678\n", "13812345678"),
    ("ja nested", {"注文": {"番号": "ＴＸ－１２３４５"}}, "TX-12345"),
    ("ja native value", {"お客様": {"氏名": "山田 太郎"}}, "山田太郎"),
    ("ko nested", {"주문": {"번호": "TX-12345", "고객": "김민수"}}, "TX-12345"),
    ("ko phone", {"연락처": "010-1234-5678"}, "01012345678"),
    ("th nested", {"คำสั่งซื้อ": {"เลขที่": "๑๒๓๔๕๖๗"}}, "1234567"),
    ("ar nested", {"الطلب": {"الرقم": "TX-١٢٣٤٥"}}, "TX-12345"),
    ("ar e-mail", {"البريد": f"{RLM}mia.li@x.org"}, "mia.li@x.org"),
    ("hi nested", {"ऑर्डर": {"संख्या": "१२३४५६७"}}, "1234567"),
    ("ru nested", {"заказ": {"номер": "АБ-12345", "почта": "иван@почта.рф"}}, "иван@почта.рф"),
    ("ru key", {"АБ-12345": {"статус": "оплачен"}}, "АБ-12345"),
    ("de nested", {"Bestellung": {"Prüfnummer": "TX-12345"}}, "TX-12345"),
    ("tr nested", {"sipariş": {"numarası": "KAYIT-12345"}}, "kayıt-12345"),
    ("he nested", {"הזמנה": {"מספר": f"{LRM}TX-12345{LRM}"}}, "TX-12345"),
    ("el nested", {"παραγγελία": [["αρ.", "TX-12345"]]}, "TX-12345"),
    ("vi nested", {"đơn hàng": {"mã": "TX-12345"}}, "TX-12345"),
]
# fmt: on


def table(rows):
    """Return one parameter set for each row, with the first column as its id."""
    return [pytest.param(*row[1:], id=row[0].replace(" ", "-")) for row in rows]


def session_of(text):
    """Return a session with a user's message."""
    session = Session()
    session.user(text)
    return session


def phantoms(*user_text, result=None, **arguments):
    """Return the findings of `phantom_target` after the user's text."""
    firewall = Shield(shield.configure(mode="audit"), hooks=None)
    firewall.register(Tool(name="refund", parameters=SCHEMA))
    with firewall.session() as session:
        for text in user_text:
            session.user(text)
        if result is not None:
            session.tool_result("get", result)
        decision = firewall.check_call({"name": "refund", "arguments": arguments})
    assert "ran" == decision.coverage["phantom_target"].outcome.value
    return [(f.where, f.got) for f in decision.findings if f.check == "phantom_target"]


def test_the_tables_hold_many_languages():
    """There are at least 100 cases, and at least ten for each main language."""
    rows = [*SAID, *UNSAID, *NAMED, *RETURNED]
    spoken = Counter(row[0].split()[0] for row in rows)

    assert len(rows) >= 100
    assert len({row[0] for row in SAID}) == len(SAID)
    assert all(spoken[one] >= 10 for one in "zh zh-Hant ja ko th ar hi ru de tr".split())


@each_row(("text", "value"), table(SAID))
def test_a_value_in_the_text_has_an_origin(text, value):
    """Every value in the user's text has an origin."""
    assert session_of(text).origin(value) is not None


@each_row(
    ("text", "value", "name"),
    table((*row, "phone" if " phone" in row[0] else "order_id") for row in SAID),
)
def test_the_shield_reports_no_value_in_the_text(text, value, name):
    """An argument that the user wrote has no finding."""
    assert [] == phantoms(text, **{name: value})


@each_row(("text", "value"), table(SAID))
def test_the_origin_of_a_users_text_is_the_user(text, value):
    """No tool returned anything, so every origin is the user."""
    assert "tool" != getattr(session_of(text).origin(value), "source", None)


@each_row(("value", "carrier"), [(value, carrier) for value, _ in VALUES for carrier in CARRIERS])
def test_every_kind_of_value_is_found_in_every_language(value, carrier):
    """Each kind of identifier is found in each language, without a finding."""
    text = CARRIERS[carrier].format(value)

    assert "user" == getattr(session_of(text).origin(value), "source", None)
    assert [] == phantoms(text, order_id=value)


@each_row(
    ("value", "changed", "carrier"),
    [(v, c, carrier) for v, cs in VALUES for c in cs for carrier in CARRIERS],
)
def test_no_changed_value_is_found_in_any_language(value, changed, carrier):
    """A value with a digit changed, removed or added has a finding."""
    text = CARRIERS[carrier].format(value)

    assert session_of(text).origin(changed) is None
    assert ["/arguments/order_id"] == [where for where, _ in phantoms(text, order_id=changed)]


@each_row(("text", "value"), table(UNSAID))
def test_an_identifier_that_is_not_in_the_text_is_unseen(text, value):
    """An identifier that no text contains has no origin."""
    assert session_of(text).origin(value) is None


@each_row(("text", "value"), table(UNSAID))
def test_the_shield_finds_an_identifier_that_is_not_in_the_text(text, value):
    """The layer reports the argument."""
    assert ["/arguments/order_id"] == [where for where, _ in phantoms(text, order_id=value)]


@each_row(("text", "arguments"), table(NAMED))
def test_a_name_in_a_language_that_is_not_tested_is_never_flagged(text, arguments):
    """A name may be inflected or transliterated, but an invented identifier is found."""
    assert [] == phantoms(text, **arguments)
    assert [("/arguments/order_id", '"ORD-558213"')] == phantoms(
        text, order_id="ORD-558213", **arguments
    )


@pytest.mark.parametrize("text", CARRIERS.values(), ids=CARRIERS)
@pytest.mark.parametrize("parameter", ["name", "city"])
def test_an_invented_identifier_in_a_names_place_is_found(text, parameter):
    """A value with the form of an identifier is judged as one, even in a parameter for names."""
    findings = phantoms(text.format("TX-12345"), **{parameter: "user_8812"})

    assert [(f"/arguments/{parameter}", '"user_8812"')] == findings


def test_a_name_that_is_invented_in_english_is_found():
    """In English an invented name has a finding."""
    findings = phantoms("Please book a room for Maria in the city of Bonn", city="Hamburg")

    assert [("/arguments/city", '"Hamburg"')] == findings


def test_a_greeting_in_english_does_not_make_the_run_english():
    """Names are not judged if the user greets in English and continues in Chinese."""
    assert [] == phantoms("Hello, can you help me with a booking?", "飞往北京", city="Beijing")


@pytest.mark.parametrize(
    ("then", "found"),
    [
        ("Ich möchte bitte einen Flug von Warschau nach Wien.", []),
        ("Poproszę lot z Warszawy do Wiednia, bo nie mam samochodu.", []),
        ("Los Gatos, La Jolla.", [("/arguments/city", '"Warszawa"')]),
    ],
)
def test_names_are_judged_only_while_all_texts_are_english(then, found):
    """A message in another language stops the check of names; a Spanish place name does not."""
    assert found == phantoms("Hello, can you help me with a booking?", then, city="Warszawa")


def test_a_name_from_a_result_in_another_script_may_be_transliterated():
    """A name has no finding if the user writes English and the result is Chinese."""
    findings = phantoms("Please book the first of them", result={"城市": "北京"}, city="Beijing")

    assert [] == findings


def test_traditional_and_simplified_signs_are_not_equated():
    """A value in the other set of characters is another value."""
    assert session_of("收件人是陈美玲").origin("陳美玲") is None


@pytest.mark.parametrize(("result", "value"), table(RETURNED))
def test_a_value_in_a_result_with_native_keys_is_found(result, value):
    """The origin of every value in a result is the tool."""
    session = session_of("你好")
    session.tool_result("get", result)

    assert ("tool", "get") == (session.origin(value).source, session.origin(value).tool)


@pytest.mark.parametrize(("result", "value"), table(RETURNED))
def test_a_value_that_is_not_in_a_result_is_found_by_the_shield(result, value):
    """An identifier that a result in another script does not contain has a finding."""
    assert [] == phantoms("你好", result=result, order_id=value)
    assert ["/arguments/order_id"] == [
        where for where, _ in phantoms("你好", result=result, order_id="TX-90817")
    ]


def test_a_field_with_a_native_name_has_no_kind():
    """The kind of a Chinese field name is unknown, so its value is not of another kind."""
    result = {"order": "A77", "订单编号": "TX-12345"}

    assert [] == phantoms("你好", result=result, order_id="TX-12345")


@pytest.mark.parametrize(
    ("text", "value"),
    table(
        [
            ("de compound", "die TX-12345-Bestellung fehlt", "TX-12345"),
            ("zh ellipsis", "TX-12345……怎么还没到", "TX-12345"),
            ("zh URL", "打开https://x.org/a/991？谢谢", "https://x.org/a/991"),
            ("he prefix", "תבטל את ההזמנה ל-TX-12345", "TX-12345"),
            ("zh plate", "车牌京A12345停在门口", "京A12345"),
            ("zh native path", "文件在/数据/报告2024.pdf里", "/数据/报告2024.pdf"),
            ("ja person", "山田太郎様の予約", "山田太郎"),
        ]
    ),
)
def test_a_value_in_a_longer_chunk_is_found_after_a_long_run(text, value):
    """After 150,000 characters, early text is found, or the run reports that text was dropped."""
    session = session_of(text)
    for turn in range(50):
        session.tool_result("get", {"text": f"wort {turn} " * 300})

    assert session.origin(value) is not None
