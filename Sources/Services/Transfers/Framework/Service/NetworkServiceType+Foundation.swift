internal import Foundation
internal import FoundationNetworking
internal import TransferWire

extension URLRequest.NetworkServiceType {
    /// `nil` for the default, which says nothing.
    var wire: TransferServiceType? {
        switch self {
        case .default: nil
        case .voip: .voip
        case .video: .video
        case .background: .background
        case .voice: .voice
        case .networkServiceTypeCallSignaling: .callSignaling
        @unknown default: nil
        }
    }

    init(wire type: TransferServiceType?) {
        self =
            switch type {
            case .voip: .voip
            case .video: .video
            case .background: .background
            case .voice: .voice
            case .callSignaling: .networkServiceTypeCallSignaling
            case nil: .default
            }
    }
}
