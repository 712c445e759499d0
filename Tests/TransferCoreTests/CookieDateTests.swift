import Testing
import TransferCore

@Suite("Dates of cookies")
struct CookieDateTests {
    // RFC 6265, 5.1.1.
    @Test(
        "A date is read however it is written",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("6 nov 94 8:49:37", 784_111_777),
            ("1994 NOVEMBER 6 08:49:37", 784_111_777), ("06-November-1994/08:49:37xyz", 784_111_777),
            ("Thu, 01-Jan-70 00:00:01 GMT", 1), ("Thu, 01 Jan 1970 00:00:00 UTC", 0),
            ("Mon, 01 Jan 1601 00:00:00 GMT", -11_644_473_600), ("31 Dec 1600 23:59:59", nil),
            ("01 Jan 69 00:00:00", 3_124_224_000), ("01 Jan 99 00:00:00", 915_148_800),
            ("29 Feb 2000 00:00:00", 951_782_400), ("29 Feb 1900 00:00:00", nil), ("30 Feb 2024 00:00:00", nil),
            ("31 Apr 2024 00:00:00", nil), ("00 Jan 2024 00:00:00", nil), ("32 Jan 2024 00:00:00", nil),
            ("01 Jan 2024 24:00:00", nil), ("01 Jan 2024 00:60:00", nil), ("01 Jan 2024 00:00:60", nil),
            ("01 Jan 2024 0:0:0", 1_704_067_200), ("01 Jan 2024 000:00:00", nil), ("01 Jan 12345 00:00:00", nil),
            ("31 Dec 9999 23:59:59", 253_402_300_799), ("", nil), ("soon", nil), ("01 Jan 2024", nil),
            ("00:00:00 Jan 2024", nil), ("01 2024 00:00:00", nil),
        ] as [(String, Int64?)])
    func dates(_ text: String, _ seconds: Int64?) { #expect(CookieDate.seconds(text) == seconds) }

    @Test("Every day from 1601 on follows the one before")
    func days() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var expected: Int64 = -11_644_473_600
        for year in 1601...2101 {
            for month in months {
                for day in 1...31 {
                    guard let seconds = CookieDate.seconds("\(day) \(month) \(year) 00:00:00") else { continue }
                    #expect(seconds == expected)
                    expected += 86_400
                }
            }
        }
    }
}
