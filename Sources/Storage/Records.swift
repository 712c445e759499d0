/// An installed app. Times are wall clock in microseconds since 1970.
package struct StoredApp: Sendable, Equatable {
    package let identifier: String
    /// The manifest as the caller encoded it.
    package let manifest: String
    /// The uid that its container belongs to, when it has one of its own.
    package let uid: UInt32?
    package let installedAt: Int64
    package let updatedAt: Int64
    package let isExempt: Bool
}

/// One entry of the log. Times are in microseconds, `at` since 1970.
package struct LogRow: Sendable, Equatable {
    package var seq: Int64
    package var at: Int64
    package var app: String?
    package var event: String
    package var reason: String
    /// The entry that led to this one; nil for a first cause, and once that entry is pruned.
    package var cause: Int64?
    package var took: Int64?

    package init(
        seq: Int64, at: Int64, app: String?, event: String, reason: String, cause: Int64? = nil, took: Int64? = nil
    ) {
        self.seq = seq
        self.at = at
        self.app = app
        self.event = event
        self.reason = reason
        self.cause = cause
        self.took = took
    }
}

/// What `reports` lists.
package struct ReportSummary: Sendable, Equatable {
    package var id: String
    /// The log entry of the end that it reports.
    package var seq: Int64?
    package var app: String
    package var at: Int64
    package var namespace: String
    package var code: Int64
    package var reason: String

    package init(id: String, seq: Int64?, app: String, at: Int64, namespace: String, code: Int64, reason: String) {
        self.id = id
        self.seq = seq
        self.app = app
        self.at = at
        self.namespace = namespace
        self.code = code
        self.reason = reason
    }
}

/// A report with the two JSON parts of its `.ips` file.
package struct StoredReport: Sendable, Equatable {
    package var summary: ReportSummary
    package var header: String
    package var body: String

    package init(summary: ReportSummary, header: String, body: String) {
        self.summary = summary
        self.header = header
        self.body = body
    }
}
