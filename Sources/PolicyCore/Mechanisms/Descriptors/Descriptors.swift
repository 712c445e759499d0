internal import Model

/// An app that has nearly as many descriptors as it may have fails soon, and elsewhere than where it leaks: with the
/// next file, socket or pipe. It is only told of, for whoever looks for the cause: an app may know what it does.
package enum Descriptors {
    package enum Event: Payload {
        /// One of its processes has so many of the descriptors that it may have. Earlier daemons said so once, until
        /// it had far fewer.
        case nearLimit(open: Int64, limit: Int64)
        /// The process that has most has so many. Told when they are many, and once when they are few again.
        case counted(open: Int64, limit: Int64)

        package enum Tag: UInt8, CaseIterable, Sendable { case nearLimit = 69, counted = 96 }

        package var tag: Tag {
            switch self {
            case .nearLimit: .nearLimit
            case .counted: .counted
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .nearLimit: self = .nearLimit(open: 0, limit: 0)
            case .counted: self = .counted(open: 0, limit: 0)
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .nearLimit(var open, var limit):
                try coder.code(&open)
                try coder.code(&limit)
                self = .nearLimit(open: open, limit: limit)
            case .counted(var open, var limit):
                try coder.code(&open)
                try coder.code(&limit)
                self = .counted(open: open, limit: limit)
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .nearLimit(let open, let limit), .counted(let open, let limit):
                "\(name) has \(open) of \(limit) descriptors open"
            }
        }
    }

    static func handle(_ event: Event, _ i: Int, in scope: inout some DescriptorScope) {
        guard !scope.isEnding(i) else { return }
        switch event {
        case .nearLimit(let open, let limit): tell(open, limit, i, in: &scope)
        case .counted(let open, let limit):
            let share = DescriptorRules.share(open, of: limit)
            if share < DescriptorRules.few { scope.setToldOfDescriptors(i, false) }
            guard share >= DescriptorRules.many, !scope.toldOfDescriptors(i) else { return }
            scope.setToldOfDescriptors(i, true)
            tell(open, limit, i, in: &scope)
        }
    }

    private static func tell(_ open: Int64, _ limit: Int64, _ i: Int, in scope: inout some DescriptorScope) {
        scope.log(i, .descriptorsNearLimit, .descriptorsNearLimit(open: open, limit: limit))
    }
}

/// When an app has many descriptors, in thousandths of those that it may have.
package enum DescriptorRules {
    /// From this share on the log tells of the app.
    package static let many: Int64 = 900
    /// Below this share the log may tell of it again later.
    package static let few: Int64 = 700

    /// - Returns: zero where there is no limit.
    package static func share(_ open: Int64, of limit: Int64) -> Int64 {
        guard limit > 0 else { return 0 }
        let (product, isTooLarge) = max(0, open).multipliedReportingOverflow(by: 1000)
        return isTooLarge ? .max : product / limit
    }
}

protocol DescriptorScope: Scope {
    func toldOfDescriptors(_ i: Int) -> Bool
    mutating func setToldOfDescriptors(_ i: Int, _ isTold: Bool)
}
