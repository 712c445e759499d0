internal import FoundationNetworking

// The protocol has Apple's numbers; Foundation on Linux counts some policies differently.
extension NSURLRequest.CachePolicy {
    /// A number without a meaning is the protocol's own policy.
    init(wire number: Int64) {
        self =
            switch number {
            case 1: .reloadIgnoringLocalCacheData
            case 2: .returnCacheDataElseLoad
            case 3: .returnCacheDataDontLoad
            case 4: .reloadIgnoringLocalAndRemoteCacheData
            case 5: .reloadRevalidatingCacheData
            default: .useProtocolCachePolicy
            }
    }

    var wire: Int64 {
        switch self {
        case .useProtocolCachePolicy: 0
        case .reloadIgnoringLocalCacheData: 1
        case .returnCacheDataElseLoad: 2
        case .returnCacheDataDontLoad: 3
        case .reloadIgnoringLocalAndRemoteCacheData: 4
        case .reloadRevalidatingCacheData: 5
        }
    }
}
