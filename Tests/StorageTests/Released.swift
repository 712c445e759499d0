import Foundation

/// A database as a released version of Greenroom left it: the bytes that are not zero, by their place.
struct Released {
    let size: Int
    let parts: [(offset: Int, base64: String)]

    /// Writes the database with one name changed to another of the same length.
    func write(to path: String, renaming old: String = "", to new: String = "") throws {
        var bytes = Data(count: size)
        for (offset, base64) in parts {
            let part = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
            bytes.replaceSubrange(offset..<offset + part.count, with: part)
        }
        while let place = old.isEmpty ? nil : bytes.range(of: Data(old.utf8)) {
            bytes.replaceSubrange(place, with: Data(new.utf8))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// An app, its uid, a setting, two log entries and a report.
    static let version1 = Released(
        size: 65536,
        parts: [
            (
                0,
                """
                U1FMaXRlIGZvcm1hdCAzABAAAgIAQCAgAAAAAgAAABAAAAAAAAAAAAAAAAsAAAAEAAAAAAAAAAAAAAAB
                """
            ),
            (
                64,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIALmMBDQ/4AA8J6gAPSQ+5DkMPIA2CDhoN8QzeDVEMEAvQCoULoQo2
                Ceo=
                """
            ),
            (
                2507,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEoPBhcnGwFhaW5kZXhyZXBvcnRzQnlUaW1lcmVwb3J0cxBDUkVBVEUg
                SU5ERVggcmVwb3J0c0J5VGltZSBPTiByZXBvcnRzIChhdClNDgYXJRsBaWluZGV4cmVwb3J0c0J5QXBwcmVwb3J0cw9DUkVB
                VEUgSU5ERVggcmVwb3J0c0J5QXBwIE9OIHJlcG9ydHMgKGFwcCwgYXQpghkMBxcbGwGECXRhYmxlcmVwb3J0c3JlcG9ydHMN
                Q1JFQVRFIFRBQkxFIHJlcG9ydHMgKAogICAgaWQgVEVYVCBQUklNQVJZIEtFWSBOT1QgTlVMTCwKICAgIHNlcSBJTlRFR0VS
                LAogICAgYXBwIFRFWFQgTk9UIE5VTEwsCiAgICBhdCBJTlRFR0VSIE5PVCBOVUxMLAogICAgbmFtZXNwYWNlIFRFWFQgTk9U
                IE5VTEwsCiAgICBjb2RlIElOVEVHRVIgTk9UIE5VTEwsCiAgICByZWFzb24gVEVYVCBOT1QgTlVMTCwKICAgIGhlYWRlciBU
                RVhUIE5PVCBOVUxMLAogICAgYm9keSBURVhUIE5PVCBOVUxMCiktDQYXQRsBAGluZGV4c3FsaXRlX2F1dG9pbmRleF9yZXBv
                cnRzXzFyZXBvcnRzDj4LBhcdEwFbaW5kZXhsb2dCeUFwcGxvZwxDUkVBVEUgSU5ERVggbG9nQnlBcHAgT04gbG9nIChhcHAs
                IHNlcSmBSwoHFxMTAYJ9dGFibGVsb2dsb2cLQ1JFQVRFIFRBQkxFIGxvZyAoCiAgICBzZXEgSU5URUdFUiBQUklNQVJZIEtF
                WSBOT1QgTlVMTCwKICAgIGF0IElOVEVHRVIgTk9UIE5VTEwsCiAgICBhcHAgVEVYVCwKICAgIGV2ZW50IFRFWFQgTk9UIE5V
                TEwsCiAgICByZWFzb24gVEVYVCBOT1QgTlVMTCwKICAgIGNhdXNlIElOVEVHRVIsCiAgICB0b29rIElOVEVHRVIKKXEIBxcd
                HQGBNXRhYmxlc2V0dGluZ3NzZXR0aW5ncwlDUkVBVEUgVEFCTEUgc2V0dGluZ3MgKAogICAga2V5IFRFWFQgUFJJTUFSWSBL
                RVkgTk9UIE5VTEwsCiAgICB2YWx1ZSBURVhUIE5PVCBOVUxMCikvCQYXQx0BAGluZGV4c3FsaXRlX2F1dG9pbmRleF9zZXR0
                aW5nc18xc2V0dGluZ3MKbQUHFxUVAYE9dGFibGV1aWRzdWlkcwZDUkVBVEUgVEFCTEUgdWlkcyAoCiAgICBhcHAgVEVYVCBQ
                UklNQVJZIEtFWSBOT1QgTlVMTCwKICAgIHVpZCBJTlRFR0VSIE5PVCBOVUxMIFVOSVFVRQopJwcGFzsVAQBpbmRleHNxbGl0
                ZV9hdXRvaW5kZXhfdWlkc18ydWlkcwgnBgYXOxUBAGluZGV4c3FsaXRlX2F1dG9pbmRleF91aWRzXzF1aWRzB4FaAwcXFRUB
                gxd0YWJsZWFwcHNhcHBzBENSRUFURSBUQUJMRSBhcHBzICgKICAgIGlkZW50aWZpZXIgVEVYVCBQUklNQVJZIEtFWSBOT1Qg
                TlVMTCwKICAgIG1hbmlmZXN0IFRFWFQgTk9UIE5VTEwsCiAgICBpbnN0YWxsZWRBdCBJTlRFR0VSIE5PVCBOVUxMLAogICAg
                dXBkYXRlZEF0IElOVEVHRVIgTk9UIE5VTEwsCiAgICBpc0V4ZW1wdCBJTlRFR0VSIE5PVCBOVUxMIERFRkFVTFQgMAopJwQG
                FzsVAQBpbmRleHNxbGl0ZV9hdXRvaW5kZXhfYXBwc18xYXBwcwVuAQcXKysBgRN0YWJsZWdyZGJfbWlncmF0aW9uc2dyZGJf
                bWlncmF0aW9ucwJDUkVBVEUgVEFCTEUgZ3JkYl9taWdyYXRpb25zIChpZGVudGlmaWVyIFRFWFQgTk9UIE5VTEwgUFJJTUFS
                WSBLRVkpPQIGF1ErAQBpbmRleHNxbGl0ZV9hdXRvaW5kZXhfZ3JkYl9taWdyYXRpb25zXzFncmRiX21pZ3JhdGlvbnMDAAAA
                CAAAAAANAAAAAQ/1AA/1
                """
            ),
            (8150, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkBAht2MS1iYXNlCgAAAAEP9QAP9Q=="),
            (12246, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoDGwl2MS1iYXNlDQAAAAEP3QAP3Q=="),
            (
                16318,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACEBBiclAQEJb3JnLmV4YW1wbGUuYXsibmFtZSI6IkEifQoUCgAAAAEP
                7wAP7w==
                """
            ),
            (
                20432,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABADJwlvcmcuZXhhbXBsZS5hDQAAAAEP6wAP6w==
                """
            ),
            (
                24524,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABMBAycDb3JnLmV4YW1wbGUuYQERcAoAAAABD+8AD+8=
                """
            ),
            (
                28624,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABADJwlvcmcuZXhhbXBsZS5hCgAAAAEP+QAP+Q==
                """
            ),
            (32730, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAYDAwkBEXANAAAAAg/iAA/uD+I="),
            (
                36803,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoCAxkPbG9ja2VkMRABAx0XdWlkLmxhc3Q3MDAwMAoAAAACD+kAD+kP
                9A==
                """
            ),
            (
                40906,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoDGQFsb2NrZWQCCwMdCXVpZC5sYXN0DQAAAAIPrQAP1w+t
                """
            ),
            (
                44942,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACgCCAADJx0bCQEehIBvcmcuZXhhbXBsZS5hbGF1bmNoZWRiZWNhdXNl
                AicBCAADJx0bAAkPQkBvcmcuZXhhbXBsZS5hbGF1bmNoZWRiZWNhdXNlCgAAAAIP2gAP7g/a
                """
            ),
            (
                49083,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABMEJwEBb3JnLmV4YW1wbGUuYQICEQQnCQlvcmcuZXhhbXBsZS5hDQAA
                AAEPsQAPsQ==
                """
            ),
            (
                53138,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE0BChEBJwEdBR0lLXIxHm9yZy5leGFtcGxlLmEeV0FUQ0hET0cAAIut
                8A10b28gc2xvd3sibmFtZSI6ImEifXsicHJvY05hbWUiOiJhIn0KAAAAAQ/6AA/6
                """
            ),
            (57307, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAUDEQlyMQoAAAABD+0AD+0="),
            (
                61390,
                """
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABIEJwEJb3JnLmV4YW1wbGUuYR4KAAAAAQ/7AA/7
                """
            ),
            (65500, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQDAQke"),
        ])
}
