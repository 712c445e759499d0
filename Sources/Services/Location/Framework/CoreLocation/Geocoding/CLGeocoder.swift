internal import Dispatch

/// What a geocoder calls at the end: the places, or why there are none.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Finds places by their names, and names of places.
///
/// This system has no geocoder, so each search fails with `CLError.network`, which apps treat as something to do
/// without. From Apple's *CLGeocoder*.
open class CLGeocoder: NSObject {
    /// Whether it searches: never here.
    open var isGeocoding: Bool { false }

    /// Names of a place.
    ///
    /// - Parameter completionHandler: called on the main thread, with `CLError.network`.
    open func reverseGeocodeLocation(
        _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
    ) { fail(completionHandler) }

    /// Names of a place, in another language.
    ///
    /// - Parameter completionHandler: called on the main thread, with `CLError.network`.
    open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?, completionHandler: @escaping CLGeocodeCompletionHandler
    ) { fail(completionHandler) }

    /// Places of an address.
    ///
    /// - Parameter completionHandler: called on the main thread, with `CLError.network`.
    open func geocodeAddressString(
        _ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler
    ) { fail(completionHandler) }

    /// Places of an address, those of a region first.
    ///
    /// - Parameter completionHandler: called on the main thread, with `CLError.network`.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, completionHandler: @escaping CLGeocodeCompletionHandler
    ) { fail(completionHandler) }

    /// Places of an address, those of a region first, in another language.
    ///
    /// - Parameter completionHandler: called on the main thread, with `CLError.network`.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) { fail(completionHandler) }

    /// Names of a place.
    ///
    /// - Throws: `CLError.network`.
    open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] { throw Self.error }

    /// Names of a place, in another language.
    ///
    /// - Throws: `CLError.network`.
    open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] { throw Self.error }

    /// Places of an address.
    ///
    /// - Throws: `CLError.network`.
    open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] { throw Self.error }

    /// Places of an address, those of a region first.
    ///
    /// - Throws: `CLError.network`.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?
    ) async throws -> [CLPlacemark] { throw Self.error }

    /// Ends the search. There is none.
    open func cancelGeocode() {}

    private static var error: CLError { CLError(.network, "this system has no geocoder: ask a service of your own") }

    private func fail(_ completionHandler: @escaping CLGeocodeCompletionHandler) {
        let handler = OnMain(completionHandler)
        DispatchQueue.main.async { handler.value(nil, Self.error) }
    }
}

/// What an app hands over to be called on the main thread.
// It is touched there only.
struct OnMain<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
