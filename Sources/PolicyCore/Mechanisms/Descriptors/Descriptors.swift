internal import Model

/// An app that has nearly as many descriptors as it may have fails soon, and elsewhere than where it leaks: with the
/// next file, socket or pipe. It is only told of, for whoever looks for the cause: an app may know what it does.
package enum Descriptors {
    package enum Event: Payload {
        /// One of its processes has so many of the descriptors that it may have. Told once until it has far fewer.
        case nearLimit(open: Int64, limit: Int64)

        package enum Tag: UInt8, CaseIterable, Sendable { case nearLimit = 69 }

        package var tag: Tag {
            switch self {
            case .nearLimit: .nearLimit
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .nearLimit: self = .nearLimit(open: 0, limit: 0)
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .nearLimit(var open, var limit):
                try coder.code(&open)
                try coder.code(&limit)
                self = .nearLimit(open: open, limit: limit)
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .nearLimit(let open, let limit): "\(name) has \(open) of \(limit) descriptors open"
            }
        }
    }

    static func handle(_ event: Event, _ i: Int, in scope: inout some Scope) {
        switch event {
        case .nearLimit(let open, let limit):
            guard !scope.isEnding(i) else { return }
            scope.log(i, .descriptorsNearLimit, .descriptorsNearLimit(open: open, limit: limit))
        }
    }
}
