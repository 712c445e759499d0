/// A place with its names.
///
/// This system has no geocoder, so nothing makes one: an app that names it still compiles. From Apple's *CLPlacemark*.
// Nothing of it changes.
open class CLPlacemark: NSObject, NSCopying, @unchecked Sendable {
    private let place: CLLocation?

    /// The same place.
    public init(placemark: CLPlacemark) {
        place = placemark.place
        super.init()
    }

    /// Where it is.
    open var location: CLLocation? { place }
    /// The area that it covers.
    open var region: CLRegion? { nil }
    /// Its time zone.
    open var timeZone: TimeZone? { nil }
    /// What it is called.
    open var name: String? { nil }
    /// The street.
    open var thoroughfare: String? { nil }
    /// More about the street, such as the number of the house.
    open var subThoroughfare: String? { nil }
    /// The town.
    open var locality: String? { nil }
    /// The part of the town.
    open var subLocality: String? { nil }
    /// The state.
    open var administrativeArea: String? { nil }
    /// The county.
    open var subAdministrativeArea: String? { nil }
    /// The number of the town or of a part of it.
    open var postalCode: String? { nil }
    /// The country, by the two letters of ISO 3166.
    open var isoCountryCode: String? { nil }
    /// The country.
    open var country: String? { nil }
    /// The lake or the river.
    open var inlandWater: String? { nil }
    /// The sea.
    open var ocean: String? { nil }
    /// What is of interest there.
    open var areasOfInterest: [String]? { nil }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
